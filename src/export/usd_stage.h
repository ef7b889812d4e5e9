// A run as a USD stage: a root layer with everything that stands still, and a layer per frame with what
// moves, joined by value clips. Frames can be written in any order, by several programs, and again.
//
//   NAME.usda             root: materials, prims, cameras, lights, time range, clips
//   NAME.manifest.usda    the attributes that the clips have
//   NAME.000120.usda      time samples of frame 120; time codes are frames
//
// Meters, y up, as in scenes. Liquids, gases and grains are Points with ids, widths and
// velocities, and so are spray, foam, bubbles and smoke; the surface of a liquid is a Mesh whose
// faces change; rigid bodies are instances of their meshes; soft bodies and cloth are Meshes;
// ropes are BasisCurves; collision shapes are Meshes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "export/stage_frame.h"
#include "export/usd_text.h"

namespace coalesce {

class StageWriter {
public:
    StageWriter(std::filesystem::path folder, std::string name, double frameRate);

    // Writes the layer of a frame.
    void write(const StageFrame& frame);
    // Writes the root and the manifest, of the frames written. Returns the number of files of the stage.
    size_t finish();
    size_t frames() const { return m_frames.size(); }  // written

private:
    // A prim of the root, and its prim in the present frame.
    UsdPrim& still(const std::string& path, const std::string& type);
    UsdPrim& moving(const std::string& path);
    void sample(const std::string& path, const std::string& declaration, const std::string& value);
    bool isNew(const std::string& path) { return m_known.insert(path).second; }

    void addMaterials(const StageFrame& frame);
    // Once for every path.
    void addMaterial(const std::string& path, Vec3 color, float roughness, float ior, float opacity);
    void bind(const std::string& path, const StageFrame& frame, uint32_t material);
    void bind(const std::string& path, const std::string& material, Vec3 color);
    void addParticles(const StageFrame& frame);
    void addSurfaces(const StageFrame& frame);
    void addPassives(const StageFrame& frame);
    void sampleVertices(const std::string& path, const std::string& type, const std::string& name,
                        const std::string& values);
    void addBodies(const StageFrame& frame);
    void addCloth(const StageFrame& frame);
    void addRopes(const StageFrame& frame);
    void addShapes(const StageFrame& frame);
    void addGround(const StageFrame& frame);
    void addCameras(const StageFrame& frame);
    void addLights();

    std::filesystem::path m_folder;
    std::string m_name;
    double m_frameRate;
    UsdPrim m_root, m_manifest, m_moving;
    uint64_t m_frame = 0;
    std::set<std::string> m_known;     // prims of the root
    std::set<std::string> m_declared;  // attributes of the manifest
    std::set<uint64_t> m_frames;       // written
};

}  // namespace coalesce

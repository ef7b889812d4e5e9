#include "export/usd_stage.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/whole_file.h"

namespace coalesce {

namespace {

constexpr double kAperture = 0.24;  // height of the film: 24 mm in tenths of a meter
constexpr float kBoxAspect = 16.0f / 9;

}  // namespace

StageWriter::StageWriter(std::filesystem::path folder, std::string name, double frameRate)
    : m_folder(std::move(folder)), m_name(std::move(name)), m_frameRate(frameRate) {
    m_root.specifier = "def";
    m_root.type = "Xform";
    m_root.name = m_manifest.name = m_moving.name = "World";
    addLights();
}

// The prim at "/World/a/b"; parents are Scopes.
UsdPrim& StageWriter::still(const std::string& path, const std::string& type) {
    UsdPrim* at = &m_root;
    for (size_t from = std::string("/World/").size(); from < path.size();) {
        const size_t end = std::min(path.find('/', from), path.size());
        at = &at->child(path.substr(from, end - from), end == path.size() ? type : "Scope");
        from = end + 1;
    }
    return *at;
}

UsdPrim& StageWriter::moving(const std::string& path) {
    UsdPrim* at = &m_moving;
    for (size_t from = std::string("/World/").size(); from < path.size();) {
        const size_t end = std::min(path.find('/', from), path.size());
        at = &at->child(path.substr(from, end - from));
        from = end + 1;
    }
    return *at;
}

void StageWriter::sample(const std::string& path, const std::string& declaration, const std::string& value) {
    moving(path).properties.push_back(
        fmt::format("{}.timeSamples = {{ {}: {} }}", declaration, m_frame, value));
    if (!m_declared.insert(path + "." + declaration).second) return;
    // clips give values to attributes that the stage has: these are not part of a schema
    if (declaration.find("xformOp:") != std::string::npos) still(path, "").properties.push_back(declaration);
    UsdPrim* at = &m_manifest;
    for (size_t from = std::string("/World/").size(); from < path.size();) {
        const size_t end = std::min(path.find('/', from), path.size());
        at = &at->child(path.substr(from, end - from));
        from = end + 1;
    }
    // where a frame has no value, lists are empty
    at->properties.push_back(declaration + (declaration.find("[]") != std::string::npos ? " = []" : ""));
}

// ---- what stands still ----

void StageWriter::addLights() {
    UsdPrim& sun = still("/World/Lights/Sun", "DistantLight");
    sun.set("float inputs:intensity", "3");
    sun.set("float inputs:angle", "0.53");  // [deg] of the sun, seen from the earth
    sun.set("float3 xformOp:rotateXYZ", "(-50, 30, 0)");
    sun.set("uniform token[] xformOpOrder", "[\"xformOp:rotateXYZ\"]");
    UsdPrim& sky = still("/World/Lights/Sky", "DomeLight");
    sky.set("float inputs:intensity", "0.7");
    sky.set("color3f inputs:color", "(0.75, 0.85, 1)");
}

void StageWriter::addCameras(const StageFrame& f) {
    for (const StageCamera& c : f.cameras) {
        const std::string path = "/World/Cameras/" + usdName(c.name);
        const bool isFirst = isNew(path);
        UsdPrim& prim = still(path, "Camera");
        if (isFirst) {
            prim.set("float2 clippingRange", "(0.01, 1000)");
            prim.set("uniform token[] xformOpOrder", "[\"xformOp:transform\"]");
        }
        // a value of the root would hide those of the frames
        const auto setLens = [&](const char* declaration, const std::string& value) {
            if (c.zooms)
                sample(path, declaration, value);
            else if (isFirst)
                prim.set(declaration, value);
        };
        // without perspective, the aperture is the size of the image [dm] (UsdGeomCamera)
        const bool orthographic = c.orthographicHeight > 0;
        const float height = orthographic ? 10 * c.orthographicHeight : float(kAperture);
        const double focal = kAperture / (2 * std::tan(double(c.fov) * M_PI / 360));
        setLens("token projection", orthographic ? "\"orthographic\"" : "\"perspective\"");
        setLens("float focalLength", usdValue(float(focal)));
        setLens("float verticalAperture", usdValue(height));
        setLens("float horizontalAperture", usdValue(height * kBoxAspect));
        // a camera looks along its -z; rows are its axes and its place
        const auto unit = [](Vec3 a) { return (1 / length(a)) * a; };
        const Vec3 back = unit(c.eye - c.look), right = unit(cross(c.up, back)), top = cross(back, right);
        sample(path, "matrix4d xformOp:transform",
               fmt::format("( ({}, {}, {}, 0), ({}, {}, {}, 0), ({}, {}, {}, 0), ({}, {}, {}, 1) )", right.x,
                           right.y, right.z, top.x, top.y, top.z, back.x, back.y, back.z, c.eye.x, c.eye.y,
                           c.eye.z));
    }
}

void StageWriter::addMaterials(const StageFrame& f) {
    for (const Material& material : f.materials) {
        const MaterialProperties& p = material.properties;
        const bool fluid = p.kind == MaterialKind::fluid;
        addMaterial("/World/Materials/" + usdName(material.name), p.color, fluid ? p.roughness : 0.6f,
                    p.refractiveIndex, fluid && p.turbidity < 100 ? 0.35f : 1.0f);
    }
}

void StageWriter::addMaterial(const std::string& path, Vec3 color, float roughness, float ior,
                              float opacity) {
    if (!isNew(path)) return;
    UsdPrim& prim = still(path, "Material");
    prim.set("token outputs:surface.connect", "<" + path + "/Surface.outputs:surface>");
    UsdPrim& shader = prim.child("Surface", "Shader");
    shader.set("uniform token info:id", "\"UsdPreviewSurface\"");
    shader.set("color3f inputs:diffuseColor", usdValue(color));
    shader.set("float inputs:roughness", usdValue(roughness));
    shader.set("float inputs:ior", usdValue(ior));
    shader.set("float inputs:opacity", usdValue(opacity));
    shader.properties.emplace_back("token outputs:surface");
}

void StageWriter::bind(const std::string& path, const StageFrame& f, uint32_t material) {
    const Material& m = f.materials[material];
    bind(path, "/World/Materials/" + usdName(m.name), m.properties.color);
}

void StageWriter::bind(const std::string& path, const std::string& material, Vec3 color) {
    UsdPrim& prim = still(path, "");
    prim.metadata.emplace_back("prepend apiSchemas = [\"MaterialBindingAPI\"]");
    prim.properties.push_back("rel material:binding = <" + material + ">");
    prim.set("color3f[] primvars:displayColor", "[" + usdValue(color) + "]");
}

void StageWriter::write(const StageFrame& f) {
    m_frame = f.table.frame;
    m_moving = {};
    m_moving.name = "World";
    addMaterials(f);
    addCameras(f);
    addParticles(f);
    addSurfaces(f);
    addPassives(f);
    addBodies(f);
    addCloth(f);
    addRopes(f);
    addShapes(f);
    addGround(f);
    UsdLayer layer{{fmt::format("doc = {}", usdString(fmt::format("Coalesce, {}, frame {}, {:.9g} s", m_name,
                                                                  m_frame, f.table.time))),
                    fmt::format("startTimeCode = {}", m_frame), fmt::format("endTimeCode = {}", m_frame)},
                   std::move(m_moving)};
    writeFile(m_folder / fmt::format("{}.{:06}.usda", m_name, m_frame), layer.text());
    m_frames.insert(m_frame);
}

size_t StageWriter::finish() {
    if (m_frames.empty()) return 0;
    std::vector<std::string> files, active, times;
    for (const uint64_t frame : m_frames) {
        files.push_back(fmt::format("@./{}.{:06}.usda@", m_name, frame));
        active.push_back(fmt::format("({}, {})", frame, active.size()));
        times.push_back(fmt::format("({}, {})", frame, frame));
    }
    const auto list = [](const std::vector<std::string>& items) {
        std::string out = "[";
        for (const std::string& item : items) out += (out.size() > 1 ? ", " : "") + item;
        return out + "]";
    };
    UsdPrim root = m_root;
    root.metadata = {"kind = \"assembly\"",
                     "clips = {",
                     "    dictionary default = {",
                     "        double2[] active = " + list(active),
                     "        asset[] assetPaths = " + list(files),
                     fmt::format("        asset manifestAssetPath = @./{}.manifest.usda@", m_name),
                     "        string primPath = \"/World\"",
                     "        double2[] times = " + list(times),
                     "    }",
                     "}"};
    const UsdLayer manifest{{fmt::format("doc = {}", usdString("The animated attributes of " + m_name))},
                            m_manifest};
    writeFile(m_folder / (m_name + ".manifest.usda"), manifest.text());
    const UsdLayer stage{
        {"defaultPrim = \"World\"", fmt::format("doc = {}", usdString("Coalesce, " + m_name)),
         fmt::format("endTimeCode = {}", *m_frames.rbegin()),
         fmt::format("framesPerSecond = {}", m_frameRate), "metersPerUnit = 1",
         fmt::format("startTimeCode = {}", *m_frames.begin()),
         fmt::format("timeCodesPerSecond = {}", m_frameRate), "upAxis = \"Y\""},
        std::move(root)};
    writeFile(m_folder / (m_name + ".usda"), stage.text());
    return m_frames.size() + 2;
}

}  // namespace coalesce

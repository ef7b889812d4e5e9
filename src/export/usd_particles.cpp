// The prims of a stage made of particles: Points, and the surfaces of liquids.
#include <algorithm>

#include "export/surface_pieces.h"
#include "export/usd_stage.h"

namespace coalesce {

void StageWriter::addParticles(const StageFrame& f) {
    const auto &x = f.table.floats("P"), &v = f.table.floats("velocity"), &phi = f.table.floats("phi");
    const auto &id = f.table.wholes("id"), &material = f.table.wholes("material"),
               &group = f.table.wholes("group");
    std::vector<std::vector<uint32_t>> ofMaterial(f.materials.size());
    for (uint32_t k = 0; k < id.size(); ++k) {
        const uint32_t body = group[k] < f.groups.size() ? f.groups[group[k]].body : Group::kNoBody;
        if (body == Group::kNoBody || !isMeshed(f, f.bodies[body])) ofMaterial[material[k]].push_back(k);
    }
    for (uint32_t m = 0; m < f.materials.size(); ++m) {
        const std::string path = "/World/Particles/" + usdName(f.materials[m].name);
        const bool isLiquid = f.materials[m].properties.kind == MaterialKind::fluid;
        if (isLiquid && !f.liquidPoints) continue;
        const std::vector<uint32_t>& rows = ofMaterial[m];
        if (rows.empty() && !m_known.contains(path)) continue;
        const float spacing = f.materials[m].properties.spacing;
        if (isNew(path)) {
            UsdPrim& prim = still(path, "Points");
            prim.set("float[] widths", "[" + usdValue(spacing) + "]", "interpolation = \"constant\"");
            // the surface is for renderers, the points for a fast view
            if (isLiquid && !f.surfaces.empty()) prim.set("uniform token purpose", "\"proxy\"");
            bind(path, f, m);
        }
        std::vector<Vec3> points, velocities;
        std::vector<uint32_t> ids;
        std::vector<float> fractions;
        for (const uint32_t k : rows) {
            points.push_back(vectorAt(x, k)), velocities.push_back(vectorAt(v, k));
            ids.push_back(id[k]), fractions.push_back(phi[k]);
        }
        sample(path, "point3f[] points", usdArray(points));
        sample(path, "vector3f[] velocities", usdArray(velocities));
        sample(path, "int64[] ids", usdArray(ids));
        sample(path, "float3[] extent", usdExtent(points, spacing / 2));
        const auto primvar = [&](const std::string& type, const std::string& name,
                                 const std::string& values) {
            sampleVertices(path, type + "[]", "primvars:" + usdName(name), values);
        };
        if (isLiquid) primvar("float", "phi", usdArray(fractions));
        for (const AttributeInfo& attribute : f.attributes) {
            const auto column = std::ranges::find(f.table.columns, attribute.name, &Column::name);
            if (attribute.type == AttributeType::whole) {
                std::vector<int32_t> values;
                for (const uint32_t k : rows)
                    values.push_back(std::get<std::vector<int32_t>>(column->numbers)[k]);
                primvar("int", attribute.name, usdArray(values));
            } else if (attribute.type == AttributeType::vector) {
                std::vector<Vec3> values;
                for (const uint32_t k : rows)
                    values.push_back(vectorAt(std::get<std::vector<float>>(column->numbers), k));
                primvar("float3", attribute.name, usdArray(values));
            } else {
                std::vector<float> values;
                for (const uint32_t k : rows)
                    values.push_back(std::get<std::vector<float>>(column->numbers)[k]);
                primvar("float", attribute.name, usdArray(values));
            }
        }
    }
}

// The surfaces of liquids; their vertices and faces are others in every frame.
void StageWriter::addSurfaces(const StageFrame& f) {
    for (const LiquidMesh& liquid : f.surfaces) {
        const std::string path = "/World/Surfaces/" + usdName(liquid.material);
        const SurfaceMesh& mesh = liquid.mesh;
        if (mesh.position.empty() && !m_known.contains(path)) continue;
        if (isNew(path)) {
            UsdPrim& prim = still(path, "Mesh");
            prim.set("uniform token subdivisionScheme", "\"none\"");
            if (f.liquidPoints) prim.set("uniform token purpose", "\"render\"");
            prim.properties.emplace_back("normal3f[] normals (interpolation = \"vertex\")");
            const auto named = std::ranges::find(f.materials, liquid.material, &Material::name);
            bind(path, f, uint32_t(named - f.materials.begin()));
        }
        sample(path, "point3f[] points", usdArray(mesh.position));
        sample(path, "vector3f[] velocities", usdArray(mesh.velocity));
        sample(path, "normal3f[] normals", usdArray(mesh.normal));
        sample(path, "int[] faceVertexCounts", usdTriangleCounts(mesh.triangle.size()));
        sample(path, "int[] faceVertexIndices", usdIndices(mesh.triangle));
        sample(path, "float3[] extent", usdExtent(mesh.position));
        sampleVertices(path, "int[]", "primvars:piece", usdArray(piecesOf(mesh)));
        for (const VertexAttribute& attribute : liquid.attributes) {
            const std::string name = "primvars:" + usdName(attribute.name);
            if (attribute.width == 1) {
                sampleVertices(path, "float[]", name, usdArray(attribute.values));
                continue;
            }
            std::vector<Vec3> values(attribute.values.size() / 3);
            for (size_t k = 0; k < values.size(); ++k) values[k] = vectorAt(attribute.values, k);
            sampleVertices(path, "float3[]", name, usdArray(values));
        }
    }
}

// An attribute with a value per particle or vertex.
void StageWriter::sampleVertices(const std::string& path, const std::string& type, const std::string& name,
                                 const std::string& values) {
    const std::string declaration = type + " " + name;
    // interpolation is metadata of the attribute, so it is in the root
    if (isNew(path + "." + declaration))
        still(path, "").properties.push_back(declaration + " (interpolation = \"vertex\")");
    sample(path, declaration, values);
}

// Spray, foam, bubbles and smoke: Points of each class and material.
void StageWriter::addPassives(const StageFrame& f) {
    static constexpr const char* kClasses[] = {"spray", "foam", "bubbles", "smoke"};
    const ParticleTable& t = f.passives;
    const auto &x = t.floats("P"), &v = t.floats("velocity"), &age = t.floats("age"),
               &radius = t.floats("radius");
    const auto &id = t.wholes("id"), &kind = t.wholes("class"), &material = t.wholes("material");
    for (uint32_t m = 0; m < f.materials.size(); ++m)
        for (uint32_t c = 0; c < 4; ++c) {
            const MaterialProperties& p = f.materials[m].properties;
            const std::string path = "/World/Passive/" + usdName(f.materials[m].name) + "_" + kClasses[c];
            std::vector<Vec3> points, velocities;
            std::vector<uint32_t> ids;
            std::vector<float> widths, ages;
            float widest = 0;
            for (size_t k = 0; k < t.particles; ++k) {
                if (material[k] != m || kind[k] != c) continue;
                points.push_back(vectorAt(x, k)), velocities.push_back(vectorAt(v, k));
                ids.push_back(id[k]), ages.push_back(age[k]), widths.push_back(2 * radius[k]);
                widest = std::max(widest, radius[k]);
            }
            if (points.empty() && !m_known.contains(path)) continue;
            if (isNew(path))
                still(path, "Points")
                    .set("color3f[] primvars:displayColor",
                         "[" + usdValue(c == 3 ? p.smokeColor : p.foamColor) + "]");
            sample(path, "point3f[] points", usdArray(points));
            sample(path, "vector3f[] velocities", usdArray(velocities));
            sample(path, "int64[] ids", usdArray(ids));
            sample(path, "float3[] extent", usdExtent(points, widest));
            sampleVertices(path, "float[]", "widths", usdArray(widths));
            sampleVertices(path, "float[]", "primvars:age", usdArray(ages));
        }
}

}  // namespace coalesce

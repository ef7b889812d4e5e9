// Exported particles: read back by independent readers, number by number; disk failures.
#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

#include "core/whole_file.h"
#include "export/exporter.h"
#include "sim/make_world.h"
#include "support/as_nobody.h"
#include "support/each_backend.h"
#include "support/full_disk.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

// name → the numbers of all particles, as doubles
using Read = std::map<std::string, std::vector<double>>;

// Reads numbers from bytes.
struct Cursor {
    const std::string& bytes;
    size_t at = 0;

    uint64_t word(int size, bool big) {
        uint64_t value = 0;
        for (int k = 0; k < size; ++k) {
            const uint64_t byte = static_cast<unsigned char>(bytes.at(at + k));
            value |= byte << 8 * (big ? size - 1 - k : k);
        }
        at += size;
        return value;
    }
    double number(const std::string& type, bool big) {
        const auto bits = uint32_t(word(4, big));
        if (type == "float") return std::bit_cast<float>(bits);
        if (type == "int") return int32_t(bits);
        return bits;
    }
    std::string line() {
        const size_t end = bytes.find('\n', at);
        if (end == std::string::npos) throw std::runtime_error("no further line");
        const std::string text = bytes.substr(at, end - at);
        at = end + 1;
        return text;
    }
};

std::vector<std::string> words(const std::string& line) {
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), {}};
}

Read readPly(const std::string& bytes) {
    Cursor in{bytes};
    EXPECT_EQ(in.line(), "ply");
    EXPECT_EQ(in.line(), "format binary_little_endian 1.0");
    std::vector<std::array<std::string, 2>> properties;
    size_t n = 0;
    for (std::string line; (line = in.line()) != "end_header";) {
        const auto w = words(line);
        if (w[0] == "comment") continue;
        if (w[0] == "element") {
            EXPECT_EQ(w[1], "vertex");
            n = std::stoul(w[2]);
        } else {
            EXPECT_EQ(w[0], "property");
            properties.push_back({w[1], w[2]});
        }
    }
    Read read;
    for (size_t i = 0; i < n; ++i)
        for (const auto& [type, name] : properties) read[name].push_back(in.number(type, false));
    EXPECT_EQ(in.at, bytes.size());
    return read;
}

// With the names used by PLY.
void spread(Read& read, const std::string& name, const std::vector<double>& triples) {
    for (size_t i = 0; i < triples.size(); ++i) {
        const char axis = "xyz"[i % 3];
        const std::string column = name == "velocity" || name == "v" ? std::string("v") + axis
                                   : name.empty()                    ? std::string(1, axis)
                                                                     : name + "_" + axis;
        read[column].push_back(triples[i]);
    }
}

Read readVtk(const std::string& bytes) {
    Cursor in{bytes};
    EXPECT_EQ(in.line().substr(0, 22), "# vtk DataFile Version");
    in.line();
    EXPECT_EQ(in.line(), "BINARY");
    EXPECT_EQ(in.line(), "DATASET UNSTRUCTURED_GRID");
    Read read;
    size_t n = 0;
    while (in.at < bytes.size()) {
        const auto w = words(in.line());
        if (w.empty()) continue;
        std::vector<double> numbers;
        const auto take = [&](size_t count, const std::string& type) {
            for (size_t k = 0; k < count; ++k) numbers.push_back(in.number(type, true));
        };
        if (w[0] == "POINTS") {
            n = std::stoul(w[1]);
            take(3 * n, w[2]);
            spread(read, "", numbers);
        } else if (w[0] == "CELLS") {
            EXPECT_EQ(std::stoul(w[2]), 2 * n);
            take(2 * n, "int");
            for (size_t i = 0; i < n; ++i) {
                EXPECT_EQ(numbers[2 * i], 1);
                EXPECT_EQ(numbers[2 * i + 1], i);
            }
        } else if (w[0] == "CELL_TYPES") {
            take(n, "int");
            for (const double type : numbers) EXPECT_EQ(type, 1);
        } else if (w[0] == "POINT_DATA") {
            EXPECT_EQ(std::stoul(w[1]), n);
        } else if (w[0] == "VECTORS") {
            take(3 * n, w[2]);
            spread(read, w[1], numbers);
        } else if (w[0] == "SCALARS") {
            EXPECT_EQ(in.line(), "LOOKUP_TABLE default");
            take(n, w[2] == "unsigned_int" ? "uint" : w[2]);
            read[w[1]] = numbers;
        } else {
            ADD_FAILURE() << "unknown section " << w[0];
            break;
        }
    }
    return read;
}

Read readBgeo(const std::string& bytes) {
    Cursor in{bytes};
    EXPECT_EQ(bytes.substr(0, 5), "BgeoV");
    in.at = 5;
    const auto whole = [&] { return int32_t(in.word(4, true)); };
    EXPECT_EQ(whole(), 5);
    const int n = whole();
    for (int k = 0; k < 3; ++k) EXPECT_EQ(whole(), 0);
    const int attributes = whole();
    for (int k = 0; k < 3; ++k) EXPECT_EQ(whole(), 0);
    struct Attribute {
        std::string name;
        size_t width;
        int type;
    };
    std::vector<Attribute> list;
    for (int k = 0; k < attributes; ++k) {
        const size_t length = in.word(2, true);
        Attribute a{bytes.substr(in.at, length), 0, 0};
        in.at += length;
        a.width = in.word(2, true);
        a.type = whole();
        for (size_t w = 0; w < a.width; ++w) EXPECT_EQ(whole(), 0);
        list.push_back(a);
    }
    Read read;
    for (int i = 0; i < n; ++i) {
        std::vector<double> place;
        for (int k = 0; k < 3; ++k) place.push_back(in.number("float", true));
        spread(read, "", place);
        EXPECT_EQ(in.number("float", true), 1);
        for (const Attribute& a : list) {
            EXPECT_EQ(a.type, a.width == 3 ? 5 : a.type);
            std::vector<double> numbers;
            for (size_t w = 0; w < a.width; ++w)
                numbers.push_back(in.number(a.type == 1 ? "int" : "float", true));
            if (a.width == 3)
                spread(read, a.name, numbers);
            else
                read[a.name].push_back(numbers[0]);
        }
    }
    EXPECT_EQ(bytes.substr(in.at), std::string("\0\xff", 2));
    return read;
}

// The value of an XML attribute.
std::string xml(const std::string& tag, const std::string& name) {
    const size_t at = tag.find(name + "=\"");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 2;
    return tag.substr(begin, tag.find('"', begin) - begin);
}

Read readVtp(const std::string& bytes) {
    const size_t appended = bytes.find("<AppendedData encoding=\"raw\">\n_");
    EXPECT_NE(appended, std::string::npos);
    const size_t data = bytes.find('_', appended) + 1;
    const std::string head = bytes.substr(0, appended);
    EXPECT_NE(head.find("byte_order=\"LittleEndian\" header_type=\"UInt64\""), std::string::npos);
    Read read;
    size_t end = data, total = 0;
    for (size_t at = 0; (at = head.find("<DataArray", at)) != std::string::npos; ++at) {
        const std::string tag = head.substr(at, head.find('>', at) - at), name = xml(tag, "Name");
        Cursor in{bytes, data + std::stoul(xml(tag, "offset"))};
        const uint64_t count = in.word(8, false) / 4;
        const std::string type = xml(tag, "type");
        std::vector<double> numbers;
        for (uint64_t k = 0; k < count; ++k)
            numbers.push_back(in.number(type == "Float32" ? "float"
                                        : type == "Int32" ? "int"
                                                          : "uint",
                                        false));
        end = std::max(end, in.at);
        total += 8 + 4 * count;
        if (name == "connectivity" || name == "offsets") {
            for (size_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], k + (name == "offsets"));
        } else if (xml(tag, "NumberOfComponents") == "3") {
            spread(read, name == "Points" ? "" : name, numbers);
        } else if (name != "TimeValue") {
            read[name] = numbers;
        }
    }
    EXPECT_EQ(end, data + total) << "the arrays leave no gap";
    EXPECT_EQ(bytes.substr(end), "\n</AppendedData>\n</VTKFile>\n");
    return read;
}

class Export : public EachBackend {
protected:
    // a liquid and a grain, with attributes of every type
    void build(World& world) {
        addMaterial(world, water(0.05f));
        MaterialProperties sand = water(0.05f);
        sand.kind = MaterialKind::grains;
        addMaterial(world, sand);
        addFloor(world);
        world.addAttribute({.name = "dye", .diffusivity = 1e-3f});
        world.addAttribute({.name = "origin", .type = AttributeType::vector});
        world.addAttribute({.name = "label", .type = AttributeType::whole});
        std::vector<ParticleDef> births;
        values.resize(125);
        for (int i = 0; i < 125; ++i) {
            const Vec3 x{0.05f * (i % 5), 0.05f * (i / 5 % 5) + 0.1f, 0.05f * (i / 25)};
            values[i] = {AttributeValue{i * 0.1, 0, 0}, {x.x, x.y, x.z}, {3 - 2.0 * i, 0, 0}};
            births.push_back(
                {.x = x, .v = {0.1f * i, 0, -1}, .material = i == 124, .group = i % 3u, .values = values[i]});
        }
        world.addParticles(births);
        Solver solver(world);
        stepFrames(solver, 3);
        const uint32_t gone[] = {7, 90};
        world.removeParticles(gone);
    }
    std::vector<std::array<AttributeValue, 3>> values;
    TemporaryFolder folder;
};

TEST_P(Export, EveryFormatReadsBackExactly) {
    World world(exec);
    build(world);
    const ParticleTable table = takeTable(world);
    const auto x = positions(world), v = velocities(world);
    const auto id = byId(world, world.particles.id), phase = byId(world, world.particles.phase);
    const auto dye = byId(world, std::get<Buffer<float>>(world.particles.attributes[0].values));
    const std::pair<ExportFormat, Read (*)(const std::string&)> formats[] = {{ExportFormat::ply, readPly},
                                                                             {ExportFormat::vtk, readVtk},
                                                                             {ExportFormat::bgeo, readBgeo},
                                                                             {ExportFormat::vtp, readVtp}};
    for (const auto& [format, reader] : formats) {
        SCOPED_TRACE(exportFormatNames()[size_t(format)]);
        Read read = reader(encode(table, format));
        EXPECT_EQ(read.size(), 16u);
        for (const auto& [name, numbers] : read) ASSERT_EQ(numbers.size(), 123u) << name;
        for (size_t i = 0; i < 123; ++i) {
            EXPECT_EQ(read["x"][i], x[i].x);
            EXPECT_EQ(read["y"][i], x[i].y);
            EXPECT_EQ(read["z"][i], x[i].z);
            EXPECT_EQ(read["vx"][i], v[i].x);
            EXPECT_EQ(read["vy"][i], v[i].y);
            EXPECT_EQ(read["vz"][i], v[i].z);
            EXPECT_EQ(read["id"][i], id[i]);
            EXPECT_EQ(read["material"][i], materialOf(phase[i]));
            EXPECT_EQ(read["group"][i], id[i] % 3);
            EXPECT_EQ(read["phi"][i], id[i] == 124 ? 0 : v[i].w);
            EXPECT_EQ(read[format == ExportFormat::bgeo ? "pscale" : "radius"][i], 0.025f);
            EXPECT_EQ(read["dye"][i], dye[i]);
            EXPECT_EQ(read["origin_y"][i], float(values[id[i]][1][1]));
            EXPECT_EQ(read["label"][i], 3 - 2.0 * id[i]);
        }
    }
}

TEST_P(Export, FilesDoNotDependOnStorageOrder) {
    World world(exec);
    build(world);
    const ParticleTable before = takeTable(world);
    shuffleStorage(world, 3);
    for (const ExportFormat format :
         {ExportFormat::ply, ExportFormat::vtk, ExportFormat::bgeo, ExportFormat::vtp})
        EXPECT_EQ(encode(takeTable(world), format), encode(before, format));
}

TEST_P(Export, EmptyWorldsGiveValidFiles) {
    World world(exec);
    const ParticleTable table = takeTable(world);
    for (const Read& read :
         {readPly(encode(table, ExportFormat::ply)), readVtk(encode(table, ExportFormat::vtk)),
          readBgeo(encode(table, ExportFormat::bgeo)), readVtp(encode(table, ExportFormat::vtp))})
        for (const auto& [name, numbers] : read) EXPECT_TRUE(numbers.empty()) << name;
}

TEST_P(Export, WritesEveryKthFrameAndNothingElse) {
    World world(exec);
    build(world);
    const std::string expected = encode(takeTable(world), ExportFormat::vtk);
    Exporter exporter({{ExportFormat::ply, ExportFormat::vtk}, 5, folder / "deep/er"});
    for (uint64_t frame = 0; frame <= 12; ++frame) {
        world.frame = frame;
        exporter.take(world, "pool");
    }
    EXPECT_EQ(exporter.finish(), 6u);
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "deep/er"))
        files.insert(entry.path().filename());
    EXPECT_EQ(files, (std::set<std::string>{"pool_000000.ply", "pool_000000.vtk", "pool_000005.ply",
                                            "pool_000005.vtk", "pool_000010.ply", "pool_000010.vtk"}));
    world.frame = 10;
    EXPECT_EQ(readText(folder / "deep/er/pool_000010.vtk"), encode(takeTable(world), ExportFormat::vtk));
}

// The message of the Error that `what` must throw.
template <class What>
std::string refusal(What&& what) {
    try {
        what();
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

// The series names every file with its time.
TEST_P(Export, ASeriesHasTheFilesWithTheirTimes) {
    World world(exec);
    build(world);
    Exporter exporter({{ExportFormat::vtp}, 2, folder / "out"});
    for (world.frame = 0; world.frame < 5; ++world.frame) {
        world.time = 0.25 * double(world.frame);
        exporter.take(world, "a");
    }
    EXPECT_EQ(exporter.finish(), 4u) << "three frames and the series";
    const std::string series = readText(folder / "out" / "a.pvd");
    EXPECT_NE(series.find(R"(timestep="0.5" part="0" file="a_000002.vtp")"), std::string::npos) << series;
    EXPECT_NE(series.find(R"(timestep="1" part="0" file="a_000004.vtp")"), std::string::npos) << series;
    EXPECT_EQ(series.find("a_000003"), std::string::npos);
}

// Spray, foam, bubbles and smoke: files of their own, and prims of a stage.
TEST_P(Export, PassiveParticlesReadBack) {
    World world(exec);
    build(world);
    world.materials[0].properties.foam = Foam::beer;
    world.materials[0].properties.smokeSize = 0.5f, world.materials[0].properties.smokeGrowth = 0.25f;
    const std::vector<Vec4> x{{1, 2, 3, 0.5f}, {4, 5, 6, 1}, {7, 8, 9, 2}},
        v{{1, 0, 0, 3}, {0, 1, 0, 4}, {0, 0, 1, 5}};
    const std::vector<uint32_t> id{3, 8, 11},
        tag{makeTag(PassiveClass::foam, 0), makeTag(PassiveClass::bubble, 0),
            makeTag(PassiveClass::smoke, 0)};
    world.passive.x.upload(x), world.passive.v.upload(v);
    world.passive.id.upload(id), world.passive.tag.upload(tag);
    Exporter exporter({{ExportFormat::ply, ExportFormat::usd}, 1, folder / "out"});
    world.frame = 2;
    exporter.take(world, "a");
    exporter.finish();
    Read read = readPly(readText(folder / "out" / "a_passive_000002.ply"));
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(read["y"][i], x[i].y);
        EXPECT_EQ(read["id"][i], id[i]);
        EXPECT_EQ(read["class"][i], i + 1);
        EXPECT_EQ(read["age"][i], x[i].w);
        EXPECT_EQ(read["life"][i], v[i].w);
    }
    EXPECT_EQ(read["radius"][0], foamProperties(world.materials[0].properties).size);
    EXPECT_EQ(read["radius"][2], 1);  // 0.5 m + 2 s · 0.25 m/s
    const std::string stage = readText(folder / "out" / "a.000002.usda");
    EXPECT_NE(stage.find("_foam\""), std::string::npos) << stage;
    EXPECT_NE(stage.find("_smoke\""), std::string::npos) << stage;
}

// The numbers of a list of the stage's text, brackets left out.
std::vector<double> usdNumbers(const std::string& text, const std::string& declaration, uint64_t frame) {
    const std::string start = declaration + ".timeSamples = { " + std::to_string(frame) + ": [";
    const size_t at = text.find(start);
    if (at == std::string::npos) return {};
    std::string list = text.substr(at + start.size(), text.find(']', at) - at - start.size());
    for (char& c : list)
        if (c == '(' || c == ')' || c == ',') c = ' ';
    std::istringstream in(list);
    return {std::istream_iterator<double>(in), {}};
}

TEST_P(Export, AStageHasTheParticlesOfEveryFrame) {
    World world(exec);
    build(world);
    Exporter exporter({{ExportFormat::usd}, 1, folder / "out"});
    exporter.take(world, "pool", {{"main", {0, 0, 5}, {0, 0, 0}, 40}});
    EXPECT_EQ(exporter.finish(), 3u) << "frame, manifest and root";
    const std::string frame = readText(folder / "out" / "pool.000003.usda");
    const auto x = positions(world), v = velocities(world);
    const auto id = byId(world, world.particles.id);
    // water first, then sand, which is the last particle
    const std::string liquid = frame.substr(0, frame.rfind("over \"", frame.rfind("point3f[] points")));
    const std::vector<double> points = usdNumbers(liquid, "point3f[] points", 3),
                              speeds = usdNumbers(liquid, "vector3f[] velocities", 3),
                              ids = usdNumbers(liquid, "int64[] ids", 3);
    ASSERT_EQ(ids.size(), 122u);
    ASSERT_EQ(points.size(), 3 * 122u);
    ASSERT_EQ(speeds.size(), 3 * 122u);
    for (size_t i = 0; i < 122; ++i) {
        EXPECT_EQ(ids[i], id[i]);
        EXPECT_EQ(float(points[3 * i + 1]), x[i].y);
        EXPECT_EQ(float(speeds[3 * i]), v[i].x);
    }
    const std::string root = readText(folder / "out" / "pool.usda");
    for (const char* line :
         {"upAxis = \"Y\"", "metersPerUnit = 1", "startTimeCode = 3", "endTimeCode = 3",
          "asset[] assetPaths = [@./pool.000003.usda@]", "asset manifestAssetPath = @./pool.manifest.usda@",
          "float[] widths = [0.05]", "def Camera \"main\""})
        EXPECT_NE(root.find(line), std::string::npos) << line;
}

// UsdGeomCamera: the aperture of an orthographic camera is the size of
// its image in tenths of the unit of the stage.
TEST_P(Export, OrthographicCamerasOfAStageHaveTheHeightOfTheirImage) {
    World world(exec);
    build(world);
    Exporter exporter({{ExportFormat::usd}, 1, folder / "out"});
    exporter.take(world, "pool",
                  {{"plan", {0, 5, 0}, {0, 0, 0}, 40, 2.5f, {0, 0, -1}}, {"wide", {0, 0, 5}, {0, 0, 0}, 40}});
    exporter.finish();
    const std::string root = readText(folder / "out" / "pool.usda");
    const size_t plan = root.find("def Camera \"plan\""), wide = root.find("def Camera \"wide\"");
    ASSERT_LT(plan, wide);
    const std::string first = root.substr(plan, wide - plan), second = root.substr(wide);
    EXPECT_NE(first.find("token projection = \"orthographic\""), std::string::npos) << first;
    EXPECT_NE(first.find("float verticalAperture = 25\n"), std::string::npos) << first;
    EXPECT_NE(second.find("token projection = \"perspective\""), std::string::npos) << second;
}

TEST_P(Export, AStageHasTheColorsOfShapes) {
    World world(exec);
    build(world);
    Shape pane;
    pane.name = "pane", pane.kind = ShapeKind::box;
    pane.color = {0.25f, 0.5f, 0.75f}, pane.opacity = 0.25f;
    world.shapes.push_back(pane);
    Exporter exporter({{ExportFormat::usd}, 1, folder / "out"});
    exporter.take(world, "pool");
    exporter.finish();
    const std::string root = readText(folder / "out" / "pool.usda"),
                      name = "pane_" + std::to_string(world.shapes.size() - 1);
    EXPECT_NE(root.find("rel material:binding = </World/Materials/Shapes/" + name + ">"), std::string::npos);
    const size_t at = root.find("def Material \"" + name + "\"");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(root.find("color3f inputs:diffuseColor = (0.25, 0.5, 0.75)", at),
              root.find("color3f inputs:diffuseColor", at));
    EXPECT_EQ(root.find("float inputs:opacity = 0.25", at), root.find("float inputs:opacity", at));
}

// A container is a guide, which renderers leave out: its bottom gets a ground to see, unless there is a plane.
TEST_P(Export, AStageHasAGroundUnderContainers) {
    const auto groundOf = [&](const std::vector<Shape>& shapes) {
        World world(exec);
        build(world);
        world.shapes = shapes;
        Exporter exporter({{ExportFormat::usd}, 1, folder / "out"});
        exporter.take(world, "pool");
        exporter.finish();
        const std::string root = readText(folder / "out" / "pool.usda");
        const size_t at = root.find("def Mesh \"Ground\"");
        return at == std::string::npos ? std::string() : root.substr(at);
    };
    Shape tank, floor;
    tank.kind = ShapeKind::box, tank.halfExtents = {1, 2, 1}, tank.position = {0, 0.5f, 0};
    tank.container = true;
    floor.kind = ShapeKind::plane;
    const std::string ground = groundOf({tank});
    EXPECT_EQ(ground.find("float3 xformOp:translate = (0, -1.5, 0)"),
              ground.find("float3 xformOp:translate"));
    EXPECT_NE(ground.find("float3 xformOp:translate"), std::string::npos);
    EXPECT_EQ(groundOf({tank, floor}), "");
    tank.container = false;
    EXPECT_EQ(groundOf({tank}), "");
}

// The surface of the water as the mesher makes it, once beside the points and once in their place.
TEST_P(Export, AStageHasTheSurfacesOfLiquids) {
    World world(exec);
    build(world);
    const LiquidMesh liquid = LiquidMesher(exec).build(world, {.smoothing = 2}).at(0);
    ASSERT_GT(liquid.mesh.position.size(), 50u);
    for (const StageLiquids liquids : {StageLiquids::mesh, StageLiquids::both}) {
        const bool both = liquids == StageLiquids::both;
        Exporter exporter({.formats = {ExportFormat::usd},
                           .every = 1,
                           .folder = folder / "out",
                           .liquids = liquids,
                           .surface = {.smoothing = 2}});
        exporter.take(world, "pool");
        exporter.finish();
        const std::string frame = readText(folder / "out" / "pool.000003.usda"),
                          root = readText(folder / "out" / "pool.usda");
        const size_t at = frame.find("over \"Surfaces\"");
        ASSERT_NE(at, std::string::npos);
        const std::string surface = frame.substr(at);
        const std::vector<double> points = usdNumbers(surface, "point3f[] points", 3),
                                  speeds = usdNumbers(surface, "vector3f[] velocities", 3),
                                  corners = usdNumbers(surface, "int[] faceVertexIndices", 3),
                                  sides = usdNumbers(surface, "int[] faceVertexCounts", 3);
        ASSERT_EQ(points.size(), 3 * liquid.mesh.position.size());
        ASSERT_EQ(speeds.size(), points.size());
        ASSERT_EQ(sides, std::vector<double>(liquid.mesh.triangle.size(), 3));
        ASSERT_EQ(corners.size(), 3 * sides.size());
        for (size_t i = 0; i < liquid.mesh.position.size(); ++i) {
            EXPECT_EQ(float(points[3 * i + 2]), liquid.mesh.position[i].z);
            EXPECT_EQ(float(speeds[3 * i + 1]), liquid.mesh.velocity[i].y);
        }
        for (size_t k = 0; k < corners.size(); ++k) EXPECT_EQ(corners[k], liquid.mesh.triangle[k / 3][k % 3]);
        for (const VertexAttribute& a : liquid.attributes)
            EXPECT_EQ(
                usdNumbers(surface, (a.width == 1 ? "float[] primvars:" : "float3[] primvars:") + a.name, 3)
                    .size(),
                a.values.size())
                << a.name;
        // sand stays as points in both
        EXPECT_EQ(frame.find("over \"" + liquid.material + "\"") < at, both);
        EXPECT_EQ(root.find("uniform token purpose = \"proxy\"") != std::string::npos, both);
        EXPECT_EQ(root.find("uniform token purpose = \"render\"") != std::string::npos, both);
        EXPECT_NE(root.find("def Points"), std::string::npos);
    }
}

TEST_P(Export, FullDisksAreReportedAndLeaveNoPartialFiles) {
    World world(exec);
    build(world);
    const auto file = folder / "pool_000000.ply";
    std::string direct;
    {
        const FullDisk full(50'000);
        direct = refusal([&] { writeFile(file, std::string(100'000, 'x')); });
    }
    EXPECT_NE(direct.find("Free disk space"), std::string::npos) << direct;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));

    // the same on the background thread; the first frame fits
    world.frame = 0;
    std::filesystem::create_symlink("/dev/full", folder / "pool_000001.ply");
    Exporter exporter({{ExportFormat::ply}, 1, folder.path()});
    const std::string text = refusal([&] {
        for (uint64_t frame = 0; frame < 20; ++frame) world.frame = frame, exporter.take(world, "pool");
        exporter.finish();
    });
    EXPECT_NE(text.find("pool_000001.ply"), std::string::npos) << text;
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        files.insert(entry.path().filename());
    EXPECT_EQ(files, (std::set<std::string>{"pool_000000.ply", "pool_000001.ply"})) << "a file and the link";
}

TEST_P(Export, FoldersThatCannotBeCreatedFailAtOnce) {
    writeText(folder / "file", "");
    const std::string text = refusal([&] { Exporter({{ExportFormat::ply}, 1, folder / "file/inside"}); });
    EXPECT_NE(text.find("--export-to"), std::string::npos) << text;
}

TEST_P(Export, FoldersThatCannotBeWrittenFailAtOnce) {
    const auto refused = [&] {
        const AsNobody nobody;
        return refusal([&] { Exporter({{ExportFormat::ply}, 1, folder.path()}); });
    };
    if (AsNobody().isRoot()) GTEST_SKIP() << "root may write everywhere, and no other user could be taken on";
    std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
    {
        const AsNobody nobody;
        EXPECT_NO_THROW(Exporter({{ExportFormat::ply}, 1, folder.path()}));
    }
    makeReadOnly(folder.path());
    const std::string text = refused();
    EXPECT_NE(text.find("cannot be written"), std::string::npos) << text;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

FOR_EACH_BACKEND(Export);

}  // namespace
}  // namespace coalesce::test

// The mesh reader: what it reads, what it refuses and where it says so, and that no bytes bring it down.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"
#include "meshes.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

TriangleMesh obj(const std::string& text, const MeshLimits& limits = {}) {
    return parseMesh(text, MeshFormat::obj, "m.obj", limits);
}
TriangleMesh ply(const std::string& text, const MeshLimits& limits = {}) {
    return parseMesh(text, MeshFormat::ply, "m.ply", limits);
}

std::string messageOf(MeshFormat format, const std::string& text, const MeshLimits& limits = {}) {
    constexpr const char* endings[] = {"obj", "ply", "stl", "gltf"};
    try {
        parseMesh(text, format, std::string("m.") + endings[int(format)], limits);
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        return error.what();
    }
    return "it was read";
}

const std::string kCorners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

// ---- OBJ ----

TEST(Obj, ReadsTrianglesAndPolygons) {
    const TriangleMesh mesh = obj("# a comment\n" + kCorners + "f 1 2 3 4 # another\n");
    ASSERT_EQ(mesh.vertices.size(), 4u);
    EXPECT_TRUE(mesh.vertices[2] == (Vec3{1, 1, 0}));
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
    for (const Vec3& n : mesh.normals) EXPECT_TRUE(n == (Vec3{0, 0, 1})) << "normals of the triangles";
}

TEST(Obj, PassesOverAByteOrderMark) {
    const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    EXPECT_EQ(obj("\xEF\xBB\xBF" + text).triangles, obj(text).triangles);
    // only in front, and only the whole mark
    EXPECT_NE(messageOf(MeshFormat::obj, "\xEF\xBB" + text), "it was read");
    EXPECT_NE(messageOf(MeshFormat::obj, text + "\xEF\xBB\xBF" + text), "it was read");
}

TEST(Obj, ReadsEveryCornerSyntax) {
    const std::string records = kCorners + "vt 0 0\nvt 1 0\nvn 0 0 -2\nvn 0 1 0\n";
    for (const char* face : {"f 1 2 3", "f 1/1 2/2 3/1", "f 1//1 2//1 3//1", "f 1/1/1 2/2/1 3/1/1",
                             "f -4 -3 -2", "f -4/-2/-2 2/2/1 -2/1/1", "f\t+1  2\t3 \t"}) {
        const TriangleMesh mesh = obj(records + face + "\n");
        ASSERT_EQ(mesh.triangles.size(), 1u) << face;
        EXPECT_TRUE(mesh.vertices[mesh.triangles[0][1]] == (Vec3{1, 0, 0})) << face;
        const bool named = std::string(face).find("//") != std::string::npos ||
                           std::string(face).find("/1/1") != std::string::npos;
        EXPECT_EQ(mesh.normals[0].z, named ? -1 : 1) << face;
    }
    // two normals at one position: two vertices; one corner without: all are computed
    EXPECT_EQ(obj(records + "f 1//1 2//1 3//1\nf 1//2 3//2 4//2\n").vertices.size(), 6u);
    EXPECT_EQ(obj(records + "f 1//1 2//1 3//1\nf 1//2 3//2 4\n").vertices.size(), 4u);
}

TEST(Obj, ReadsFilesOfAllKinds) {
    EXPECT_EQ(obj("v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n").triangles.size(), 1u) << "CRLF";
    EXPECT_EQ(obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").triangles.size(), 1u) << "no end of the last line";
    EXPECT_EQ(obj("o a\ng b c\ns off\nmtllib x\nusemtl y\nv 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1e0 -0.0\nf 1 2 "
                  "3\nl 1 2\n")
                  .triangles.size(),
              1u);
    // records between faces, vertices that no face uses, triangles without area by index
    const TriangleMesh mesh = obj("v 9 9 9\n" + kCorners + "f 2 3 4\nv 5 5 5\nf 2 2 3\nf 2 4 5\n");
    EXPECT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.triangles.size(), 2u);
}

TEST(Obj, TriangulatesConcavePolygonsFromACornerThatSeesAll) {
    // an arrow head whose notch is its third corner
    const TriangleMesh mesh =
        obj("v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nf 1 2 3 4\nf 2 3 4 1\nf 4 1 2 3\n");
    EXPECT_NEAR(areaOf(mesh), 3 * 1.0, 1e-6) << "the fan must not leave the polygon";
    for (const Vec3& n : mesh.normals) EXPECT_EQ(n.z, 1);
}

TEST(Obj, ReportsErrorsWithPosition) {
    MeshLimits small;
    small.vertices = 4, small.triangles = 2, small.corners = 5, small.line = 60, small.bytes = 300;
    const std::tuple<const char*, std::string, const char*> cases[] = {
        {"empty", "", "m.obj:0: the mesh has no triangles"},
        {"no face", kCorners, "m.obj:4: the mesh has no triangles"},
        {"unknown record", "v 0 0 0\nvv 1 2 3\n", "m.obj:2: unknown OBJ record \"vv\""},
        {"binary", std::string("v 0 0 0\n\x01\x02\x00\xff", 12), "m.obj:2: unknown OBJ record \"???"},
        {"word for a number", "v 0 zero 0\n", "m.obj:1: \"zero\" is not a finite number"},
        {"two numbers", "v 0 0\n", "m.obj:1: found 2 numbers, expected 3"},
        {"eight numbers", "v 1 2 3 4 5 6 7 8\n", "m.obj:1: more than 7 numbers"},
        {"not a number", "v 0 nan 0\n", "\"nan\" is not a finite number"},
        {"infinite", "v 0 inf 0\n", "\"inf\" is not a finite number"},
        {"too large", "v 1e200 0 0\n", "m.obj:1: coordinate 1e+200 is out of range"},
        {"beyond double", "v 1e999 0 0\n", "is not a finite number"},
        {"trailing letters", "v 1m 0 0\n", "\"1m\" is not a finite number"},
        {"hex", "v 0x1 0 0\n", "\"0x1\" is not a finite number"},
        {"index 0", kCorners + "f 0 1 2\n", "m.obj:5: vertex 0 does not exist; 4 defined so far"},
        {"index beyond", kCorners + "f 1 2 5\n", "m.obj:5: vertex 5 does not exist"},
        {"index before", kCorners + "f 1 2 -5\n", "vertex -5 does not exist"},
        {"index of a later vertex", "v 0 0 0\nf 1 2 3\nv 1 0 0\nv 0 1 0\n",
         "m.obj:2: vertex 2 does not exist; 1 defined"},
        {"huge index", kCorners + "f 1 2 99999999999999999999\n", "is not an index of a vertex"},
        {"broken index", kCorners + "f 1 2 3.5\n", "\"3.5\" is not an index of a vertex"},
        {"no texture coordinate", kCorners + "f 1/1 2/1 3/1\n",
         "texture coordinate 1 does not exist; 0 defined"},
        {"no normal", kCorners + "f 1//1 2//1 3//1\n", "normal 1 does not exist; 0 defined"},
        {"open corner", kCorners + "f 1/ 2 3\n", "\"1/\" is not a face corner"},
        {"open corners", kCorners + "f 1// 2 3\n", "\"1//\" is not a face corner"},
        {"four parts", kCorners + "f 1/1/1/1 2 3\n", "\"1/1/1/1\" is not a face corner"},
        {"two corners", kCorners + "f 1 2\n", "m.obj:5: a face with 2 corners"},
        {"no corner", kCorners + "f\n", "m.obj:5: a face with 0 corners"},
        {"continued line", kCorners + "f 1 2 \\\n3\n", "m.obj:5: line continuations"},
        {"only triangles without area", kCorners + "f 1 1 2\n", "the mesh has no triangles"},
        {"too many vertices", kCorners + "v 0 0 1\n", "m.obj:5: more than 4 vertices"},
        {"too many corners", kCorners + "f 1 2 3 4 1 2\n", "m.obj:5: a face with more than 5 corners"},
        {"too many triangles", kCorners + "f 1 2 3\nf 1 2 4\nf 2 3 4\n", "m.obj:7: more than 2 triangles"},
        {"too long a line", "# " + std::string(70, 'x') + "\n", "m.obj:1: a line of more than 60 characters"},
        {"too long a file", std::string(301, '\n'), "m.obj: the file has more than 300 bytes"},
    };
    for (const auto& [what, text, words] : cases)
        EXPECT_NE(messageOf(MeshFormat::obj, text, small).find(words), std::string::npos)
            << what << ": " << messageOf(MeshFormat::obj, text, small);
}

// ---- PLY ----

std::string plyHeader(const std::string& format, const std::string& more = "") {
    return "ply\nformat " + format + " 1.0\ncomment made by hand\n" +
           "element vertex 4\nproperty float x\nproperty float y\nproperty double z\nproperty uchar red\n" +
           more + "element face 2\nproperty uchar flag\nproperty list uchar int vertex_indices\nend_header\n";
}

// Numbers as bytes of one order or the other.
class Bytes {
public:
    explicit Bytes(bool big) : m_big(big) {}
    template <class T>
    Bytes& add(T value) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        for (size_t k = 0; k < sizeof(T); ++k) text += bytes[m_big ? sizeof(T) - 1 - k : k];
        return *this;
    }
    std::string text;

private:
    bool m_big;
};

std::string binaryBody(bool big) {
    Bytes bytes(big);
    const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (const auto& [x, y] : corners) bytes.add(x).add(y).add(0.25).add<uint8_t>(200);
    bytes.add<uint8_t>(0).add<uint8_t>(3).add<int32_t>(0).add<int32_t>(1).add<int32_t>(2);
    bytes.add<uint8_t>(1).add<uint8_t>(4).add<int32_t>(3).add<int32_t>(2).add<int32_t>(1).add<int32_t>(0);
    return bytes.text;
}

const std::string kAsciiBody = "0 0 .25 200\n1 0 .25 200\n1 1 .25 200\n0 1 .25 200\n0 3 0 1 2\n1 4 3 2 1 0\n";

TEST(Ply, ReadsTextAndBothByteOrders) {
    const TriangleMesh text = ply(plyHeader("ascii") + kAsciiBody);
    ASSERT_EQ(text.vertices.size(), 4u);
    EXPECT_EQ(text.triangles.size(), 3u);
    EXPECT_TRUE(text.vertices[2] == (Vec3{1, 1, 0.25f}));
    for (const bool big : {false, true}) {
        const std::string format = big ? "binary_big_endian" : "binary_little_endian";
        const TriangleMesh mesh = ply(plyHeader(format) + binaryBody(big));
        EXPECT_EQ(mesh.triangles, text.triangles);
        for (size_t v = 0; v < 4; ++v) EXPECT_TRUE(mesh.vertices[v] == text.vertices[v]);
    }
    std::string dos = plyHeader("ascii") + kAsciiBody;
    for (size_t at = 0; (at = dos.find('\n', at)) != std::string::npos; at += 2) dos.replace(at, 1, "\r\n");
    EXPECT_EQ(ply(dos).triangles, text.triangles);
    std::string dosHeader = plyHeader("binary_little_endian");
    for (size_t at = 0; (at = dosHeader.find('\n', at)) != std::string::npos; at += 2)
        dosHeader.replace(at, 1, "\r\n");
    EXPECT_EQ(ply(dosHeader + binaryBody(false)).triangles, text.triangles);
}

TEST(Ply, ReadsNormalsAndIgnoresTheRest) {
    const TriangleMesh mesh = ply(
        "ply\nformat ascii 1.0\nobj_info x\nelement camera 1\nproperty float f\nproperty list int float l\n"
        "element vertex 3\nproperty float nx\nproperty float ny\nproperty float nz\nproperty list uchar "
        "float extra\n"
        "property int16 x\nproperty int16 y\nproperty int16 z\nelement nothing 99999999999\n"
        "element face 1\nproperty list uint8 uint16 vertex_index\nelement edge 1\nproperty int "
        "v\nend_header\n"
        "1 2 .5 .5\n0 0 -2 0 0 0 0\n0 0 -2 1 7 1 0 0\n0 0 -2 2 7 7 0 1 0\n3 0 1 2\n5\n");
    EXPECT_EQ(mesh.triangles.size(), 1u);
    for (const Vec3& n : mesh.normals) EXPECT_EQ(n.z, -1) << "of unit length";
}

// Scanned meshes, such as those of the Stanford repository, have triangle strips in place of faces.
TEST(Ply, ReadsTriangleStrips) {
    const auto header = [](int strips) {
        return fmt::format(
            "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
            "element tristrips {}\nproperty list int int vertex_indices\nend_header\n"
            "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n",
            strips);
    };
    // a strip of four triangles, which all face +z; a repeated corner makes none
    const TriangleMesh whole = ply(header(1) + "6 0 1 2 3 4 5\n");
    ASSERT_EQ(whole.triangles, (std::vector<Triangle>{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}}));
    for (const Vec3& n : whole.normals) EXPECT_EQ(n.z, 1);
    EXPECT_EQ(ply(header(1) + "7 0 1 2 3 3 4 5\n").triangles.size(), 3u);
    // -1 ends a strip, and the next one begins unturned
    EXPECT_EQ(ply(header(1) + "8 0 1 2 -1 2 1 3 -1\n").triangles,
              (std::vector<Triangle>{{0, 1, 2}, {2, 1, 3}}));
    EXPECT_EQ(ply(header(2) + "3 0 1 2\n3 2 1 3\n").triangles, (std::vector<Triangle>{{0, 1, 2}, {2, 1, 3}}));
    EXPECT_NE(messageOf(MeshFormat::ply, header(1) + "4 0 1 2 6\n").find("vertex 6 does not exist"),
              std::string::npos);
    EXPECT_NE(messageOf(MeshFormat::ply, header(1) + "4 0 1 2 -2\n").find("vertex -2 does not exist"),
              std::string::npos);
}

TEST(Ply, ReportsErrorsWithPosition) {
    const std::string ascii = plyHeader("ascii"), binary = plyHeader("binary_little_endian"),
                      body = binaryBody(false);
    const auto with = [](std::string text, const std::string& old, const std::string& fresh) {
        text.replace(text.find(old), old.size(), fresh);
        return text;
    };
    Bytes tooLong(false);
    tooLong.text = body.substr(0, 4 * 17);
    tooLong.add<uint8_t>(0).add<uint8_t>(255);
    const std::tuple<const char*, std::string, std::string> cases[] = {
        {"empty", "", "m.ply:0: the header has no end_header"},
        {"not ply", "plx\n", "m.ply:1: a PLY file begins with"},
        {"no end", "ply\nformat ascii 1.0\n", "m.ply:2: the header has no end_header"},
        {"no format", with(ascii, "format ascii 1.0\n", ""), "the header has no format line"},
        {"other format", with(ascii, "ascii", "utf8"), "m.ply:2: \"utf8\" is not a PLY format"},
        {"other version", with(ascii, "1.0", "2.0"), "m.ply:2: the format's version is not 1.0"},
        {"two formats", with(ascii, "comment made by hand", "format ascii 1.0"),
         "m.ply:3: duplicate format line"},
        {"unknown line", with(ascii, "comment", "remark"), "m.ply:3: \"remark\" is not a PLY header keyword"},
        {"unknown type", with(ascii, "double", "quad"), "m.ply:7: \"quad\" is not a PLY type"},
        {"float count", with(ascii, "list uchar int", "list float int"), "a list's count must be an integer"},
        {"float indices", with(ascii, "list uchar int", "list uchar float") + kAsciiBody,
         "lacks an integer list vertex_indices"},
        {"early property", with(ascii, "element vertex 4\n", ""),
         "m.ply:4: a property before the first element"},
        {"same property", with(ascii, "property float y", "property float x"), "duplicate property \"x\""},
        {"same element", with(ascii, "element face", "element vertex"), "duplicate element \"vertex\""},
        {"no count", with(ascii, "vertex 4", "vertex"), "an element needs a name and a count"},
        {"negative count", with(ascii, "vertex 4", "vertex -4"), "an element needs a name and a count"},
        {"too many words", with(ascii, "vertex 4", "vertex 4 5"), "unexpected text at the end of the line"},
        {"no faces", with(ascii, "element face", "element fase"),
         "the header lacks a vertex element, or a face or tristrips element"},
        {"no z", with(ascii, "double z", "double w"), "the vertex element lacks x, y or z"},
        {"huge count", with(ascii, "vertex 4", "vertex 4000000000") + kAsciiBody,
         "4000000000 vertices, more than"},
        {"count beyond the file", with(ascii, "vertex 4", "vertex 8000000") + kAsciiBody, "m.ply:17: "},
        {"faces beyond the file", with(ascii, "face 2", "face 18446744073709551615") + kAsciiBody,
         "m.ply:18: unexpected end of file"},
        {"short line", with(ascii + kAsciiBody, "1 0 .25 200", "1 0 .25"),
         "m.ply:14: the line has too few numbers"},
        {"long line", with(ascii + kAsciiBody, "1 0 .25 200", "1 0 .25 200 1"),
         "m.ply:14: the line has too many numbers"},
        {"bad number", with(ascii + kAsciiBody, "1 0 .25 200", "1 0 x 200"),
         "m.ply:14: \"x\" is not a number"},
        {"broken index", with(ascii + kAsciiBody, "0 3 0 1 2", "0 3 0 1 1.5"), "\"1.5\" is not an integer"},
        {"index beyond", with(ascii + kAsciiBody, "0 3 0 1 2", "0 3 0 1 4"),
         "m.ply:17: vertex 4 does not exist; 4 vertices"},
        {"negative index", with(ascii + kAsciiBody, "0 3 0 1 2", "0 3 0 1 -1"), "vertex -1 does not exist"},
        {"negative list", with(ascii + kAsciiBody, "0 3 0 1 2", "0 -3 0 1 2"), "a list of -3 entries"},
        {"two corners", with(ascii + kAsciiBody, "0 3 0 1 2", "0 2 0 1"), "a face with 2 corners"},
        {"not finite", with(ascii + kAsciiBody, "1 0 .25 200", "1 0 nan 200"),
         "coordinate nan is out of range"},
        {"rest of text", ascii + kAsciiBody + "1 2 3\n", "m.ply:19: data after the last element"},
        {"cut short", binary + body.substr(0, body.size() - 1),
         fmt::format("m.ply: byte {}: unexpected end of file", binary.size() + body.size() - 4)},
        {"cut in a vertex", binary + body.substr(0, 20),
         fmt::format("m.ply: byte {}: unexpected end", binary.size() + 17)},
        {"rest of bytes", binary + body + "12",
         fmt::format("m.ply: byte {}: 2 bytes after", binary.size() + body.size())},
        {"long list", binary + tooLong.text,
         fmt::format("byte {}: unexpected end", binary.size() + tooLong.text.size())},
        {"other byte order", plyHeader("binary_big_endian") + body, "m.ply: byte"},
    };
    for (const auto& [what, text, words] : cases)
        EXPECT_NE(messageOf(MeshFormat::ply, text).find(words), std::string::npos)
            << what << ": " << messageOf(MeshFormat::ply, text);
    MeshLimits small;
    small.corners = 3;
    EXPECT_NE(messageOf(MeshFormat::ply, ascii + kAsciiBody, small).find("m.ply:18: a list of 4 entries"),
              std::string::npos);
}

// ---- STL and glTF: a tetrahedron with the volume 1/6 ----

const Vec3 kTetrahedron[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr uint32_t kSides[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

template <class T>
std::string bytesOf(T value) {
    std::string bytes(sizeof(T), 0);
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
}

std::string stlText() {
    std::string text = "solid tetrahedron\n";
    for (const auto& side : kSides) {
        text += "facet normal 0 0 0\n outer loop\n";
        for (const uint32_t v : side)
            text +=
                fmt::format("  vertex {} {} {}\n", kTetrahedron[v].x, kTetrahedron[v].y, kTetrahedron[v].z);
        text += " endloop\nendfacet\n";
    }
    return text + "endsolid tetrahedron\n";
}
std::string stlBinary() {
    std::string bytes = "solid, as some exporters begin binary files";
    bytes.resize(80);
    bytes += bytesOf(uint32_t{4});
    for (const auto& side : kSides) {
        bytes += std::string(12, 0);
        for (const uint32_t v : side) bytes += bytesOf(kTetrahedron[v]);
        bytes += std::string(2, 0);
    }
    return bytes;
}

// Positions, then the indices as 16 bits.
std::string gltfBuffer() {
    std::string bytes;
    for (const Vec3& v : kTetrahedron) bytes += bytesOf(v);
    for (const auto& side : kSides)
        for (const uint32_t v : side) bytes += bytesOf(uint16_t(v));
    return bytes;
}
std::string gltfJson(const std::string& buffer, const std::string& node = "") {
    return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"children": [1]}, {"mesh": 0)" +
           node + R"(}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "buffers": [{"byteLength": 72)" +
           buffer + "}]}";
}
std::string inBase64(const std::string& bytes) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (size_t k = 0; k < bytes.size(); k += 3) {
        const uint32_t three =
            uint32_t(uint8_t(bytes[k])) << 16 | uint32_t(uint8_t(bytes[k + 1])) << 8 | uint8_t(bytes[k + 2]);
        for (int shift = 18; shift >= 0; shift -= 6) text += digits[three >> shift & 63];
    }
    return text;
}
std::string gltfText(const std::string& node = "") {
    return gltfJson(R"(, "uri": "data:application/octet-stream;base64,)" + inBase64(gltfBuffer()) + "\"",
                    node);
}
std::string gltfBinary() {
    std::string json = gltfJson("");
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const std::string body = bytesOf(uint32_t(json.size())) + "JSON" + json + bytesOf(uint32_t{72}) +
                             std::string("BIN\0", 4) + gltfBuffer();
    return "glTF" + bytesOf(uint32_t{2}) + bytesOf(uint32_t(12 + body.size())) + body;
}

TEST(StlAndGltf, ReadTheSameTetrahedron) {
    const std::pair<MeshFormat, std::string> files[] = {{MeshFormat::stl, stlText()},
                                                        {MeshFormat::stl, stlBinary()},
                                                        {MeshFormat::gltf, gltfText()},
                                                        {MeshFormat::gltf, gltfBinary()}};
    for (const auto& [format, content] : files) {
        const TriangleMesh mesh = parseMesh(content, format, "m");
        EXPECT_EQ(mesh.vertices.size(), 4u);
        EXPECT_EQ(mesh.triangles.size(), 4u);
        EXPECT_TRUE(isClosed(mesh));
        EXPECT_NEAR(volumeOf(mesh), 1.0 / 6, 1e-7);
    }
}

TEST(StlAndGltf, NodesTransformAndMirror) {
    // 90° about y, then twice as large, then moved
    const Box box = boundsOf(parseMesh(
        gltfText(
            R"(, "translation": [10, 0, 0], "rotation": [0, 0.70710678, 0, 0.70710678], "scale": [2, 2, 3])"),
        MeshFormat::gltf, "m"));
    EXPECT_NEAR(length(box.low - Vec3{10, 0, -2}), 0, 1e-5);
    EXPECT_NEAR(length(box.high - Vec3{13, 2, 0}), 0, 1e-5);
    // a mirrored mesh is not inside out
    EXPECT_NEAR(volumeOf(parseMesh(gltfText(R"(, "matrix": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,1])"),
                                   MeshFormat::gltf, "m")),
                1.0 / 6, 1e-6);
}

TEST(StlAndGltf, ReportErrorsWithPosition) {
    const auto expectError = [](MeshFormat format, std::string text, const std::string& from,
                                const std::string& to, const std::string& message) {
        const size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        EXPECT_NE(messageOf(format, text).find(message), std::string::npos) << messageOf(format, text);
    };
    expectError(MeshFormat::stl, stlText(), "endloop", "endfacet", "m.stl:7: \"endfacet\" is out of place");
    expectError(MeshFormat::stl, stlText(), "endsolid tetrahedron\n", "", "the file ends before endsolid");
    expectError(MeshFormat::stl, stlText(), "solid", "liquid", "this is no STL file");
    expectError(MeshFormat::stl, stlBinary(), bytesOf(1.0f), bytesOf(INFINITY), "is out of range");
    expectError(MeshFormat::gltf, gltfText(), "\"2.0\"", "\"1.0\"", "only glTF 2 is supported");
    expectError(MeshFormat::gltf, gltfText(), "\"asset\"",
                R"("extensionsRequired": ["KHR_draco_mesh_compression"], "asset")",
                "the file needs the extension KHR_draco_mesh_compression");
    expectError(MeshFormat::gltf, gltfText(), "\"children\": [1]", "\"children\": [0]",
                "m.gltf: nodes[0]: the nodes are not a tree");
    expectError(MeshFormat::gltf, gltfText(), "\"count\": 12", "\"count\": 15", "reaches beyond the end");
    expectError(MeshFormat::gltf, gltfText(), "\"indices\": 1", "\"indices\": 7",
                "accessors[7] does not exist");
    expectError(MeshFormat::gltf, gltfJson(R"(, "uri": "../secret.bin")"), "scene", "scene",
                "is not in the folder of the file");
    expectError(MeshFormat::gltf, gltfText(), "\"mesh\": 0", "\"mesh\": -1",
                "\"mesh\" must be a whole number");
}

TEST(ReadMesh, ReportsFileErrors) {
    const auto messageOfFile = [](const std::filesystem::path& path,
                                  const MeshLimits& limits = {}) -> std::string {
        try {
            readMesh(path, limits);
        } catch (const Error& error) {
            return error.what();
        }
        return "it was read";
    };
    const std::filesystem::path folder = testing::TempDir();
    EXPECT_NE(messageOfFile(folder / "nowhere.obj").find("does not exist"), std::string::npos);
    EXPECT_NE(messageOfFile(folder).find("unsupported mesh format"), std::string::npos);
    EXPECT_NE(messageOfFile("a.fbx").find("Supported: .obj, .ply, .stl, .gltf, .glb, .vdb."),
              std::string::npos);
    const auto path = folder / "triangle.OBJ";
    std::ofstream(path) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    EXPECT_EQ(readMesh(path).triangles.size(), 1u);
    MeshLimits small;
    small.bytes = 10;
    EXPECT_NE(messageOfFile(path, small).find("at most 10 are read"), std::string::npos);
    std::filesystem::remove(path);
}

// Files with some bytes changed, cut out, doubled or exchanged for words that matter: a sound mesh or an
// Error.
TEST(ReadMesh, SurvivesDamagedFiles) {
    const std::pair<MeshFormat, std::string> seeds[] = {
        {MeshFormat::obj, "# x\no a\n" + kCorners +
                              "vt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3//1\nf -1 -2 -3 -4\nusemtl y\r\nf 1 2/1 4\n"},
        {MeshFormat::ply, plyHeader("ascii", "element edge 1\nproperty int v\n") + kAsciiBody},
        {MeshFormat::ply, plyHeader("ascii") + kAsciiBody},
        {MeshFormat::ply, plyHeader("binary_little_endian") + binaryBody(false)},
        {MeshFormat::ply, plyHeader("binary_big_endian") + binaryBody(true)},
        {MeshFormat::stl, stlText()},
        {MeshFormat::stl, stlBinary()},
        {MeshFormat::gltf, gltfText()},
        {MeshFormat::gltf, gltfBinary()},
    };
    const char* words[] = {"nan",
                           "-1",
                           "0",
                           "1e308",
                           "4294967295",
                           "18446744073709551615",
                           "list",
                           "element face 3\n",
                           "property list int int vertex_indices\n",
                           "end_header\n",
                           "//",
                           "\n",
                           "\r",
                           " ",
                           "v 1 1 1\n",
                           "f 1 2 3\n",
                           "double",
                           "\xff\xff\xff\xff"};
    int read = 0, refused = 0;
    for (uint64_t i = 0; i < 20000; ++i) {
        auto [format, text] = seeds[i % std::size(seeds)];
        uint64_t draw = 0;
        const auto random = [&](size_t n) {
            return static_cast<size_t>(test::randomBits(i, draw++) % std::max<size_t>(n, 1));
        };
        for (size_t change = 0, changes = 1 + random(2); change < changes && !text.empty(); ++change) {
            const size_t at = random(text.size()),
                         length = random(std::min<size_t>(20, text.size() - at) + 1);
            switch (random(5)) {
                case 0:
                    text[at] = static_cast<char>(random(256));
                    break;
                case 1:
                    text.erase(at, length);
                    break;
                case 2:
                    text.insert(random(text.size()), text.substr(at, length));
                    break;
                case 3:
                    text.insert(at, words[random(std::size(words))]);
                    break;
                case 4:
                    text.resize(at);
                    break;
            }
        }
        try {
            const TriangleMesh mesh = parseMesh(text, format, "damaged");
            ++read;
            ASSERT_FALSE(mesh.triangles.empty());
            ASSERT_EQ(mesh.normals.size(), mesh.vertices.size());
            for (const Triangle& t : mesh.triangles)
                for (const uint32_t v : t) ASSERT_LT(v, mesh.vertices.size());
            for (const Vec3& v : mesh.vertices) ASSERT_TRUE(isFinite(v));
        } catch (const Error& error) {
            ++refused;
            ASSERT_EQ(error.code, Exit::Scene);
            ASSERT_EQ(std::string(error.what()).rfind("damaged", 0), 0u) << "says the file";
        }
    }
    EXPECT_GT(read, 500);
    EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace coalesce

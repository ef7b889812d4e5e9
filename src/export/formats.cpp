#include "export/formats.h"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/whole_file.h"

namespace coalesce {

namespace {

// Appends numbers in a given byte order.
template <std::endian Order>
class Bytes {
public:
    explicit Bytes(size_t expected) { text.reserve(expected); }
    std::string text;

    void put(uint32_t word) {
        const int shifts[] = {0, 8, 16, 24};
        for (int k = 0; k < 4; ++k)
            text += char(word >> shifts[Order == std::endian::little ? k : 3 - k] & 0xff);
    }
    void put(int32_t word) { put(uint32_t(word)); }
    void put(float number) { put(std::bit_cast<uint32_t>(number)); }
    void put(uint16_t word) {
        const auto low = char(word & 0xff), high = char(word >> 8);
        text += Order == std::endian::little ? low : high;
        text += Order == std::endian::little ? high : low;
    }
    // the numbers of one row of a column
    void put(const Column& column, size_t row) {
        std::visit(
            [&](const auto& numbers) {
                const auto width = size_t(column.width);
                for (size_t k = 0; k < width; ++k) put(numbers[row * width + k]);
            },
            column.numbers);
    }
};

size_t bytesOf(const ParticleTable& table) {
    size_t bytes = 0;
    for (const Column& column : table.columns) bytes += 4 * size_t(column.width);
    return bytes * table.particles;
}

const char* typeOf(const Column& column, const char* real, const char* whole, const char* natural) {
    return column.numbers.index() == 0 ? real : column.numbers.index() == 1 ? whole : natural;
}

// format: http://paulbourke.net/dataformats/ply
std::string encodePly(const ParticleTable& table) {
    Bytes<std::endian::little> out(bytesOf(table) + 1024);
    out.text = fmt::format(
        "ply\nformat binary_little_endian 1.0\ncomment Coalesce, frame {}, {:.9g} s\nelement vertex {}\n",
        table.frame, table.time, table.particles);
    for (const Column& column : table.columns) {
        const char* type = typeOf(column, "float", "int", "uint");
        for (int k = 0; k < column.width; ++k) {
            const char axis = char('x' + k);
            const std::string name = column.width == 1           ? column.name
                                     : column.name == "P"        ? std::string(1, axis)
                                     : column.name == "velocity" ? std::string("v") + axis
                                                                 : column.name + "_" + axis;
            out.text += fmt::format("property {} {}\n", type, name);
        }
    }
    out.text += "end_header\n";
    for (size_t row = 0; row < table.particles; ++row)
        for (const Column& column : table.columns) out.put(column, row);
    return std::move(out.text);
}

// format: VTK File Formats, "Simple Legacy Formats"
std::string encodeVtk(const ParticleTable& table) {
    Bytes<std::endian::big> out(bytesOf(table) + 16 * table.particles + 4096);
    const size_t n = table.particles;
    const auto rows = [&](const Column& column) {
        for (size_t row = 0; row < n; ++row) out.put(column, row);
        out.text += '\n';
    };
    out.text = fmt::format(
        "# vtk DataFile Version 3.0\nCoalesce, frame {}, {:.9g} s\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS "
        "{} "
        "float\n",
        table.frame, table.time, n);
    rows(table.columns[0]);
    out.text += fmt::format("CELLS {} {}\n", n, 2 * n);
    for (uint32_t row = 0; row < n; ++row) out.put(uint32_t{1}), out.put(row);
    out.text += fmt::format("\nCELL_TYPES {}\n", n);
    for (size_t row = 0; row < n; ++row) out.put(uint32_t{1});  // VTK_VERTEX
    out.text += fmt::format("\nPOINT_DATA {}\n", n);
    for (size_t c = 1; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        const char* type = typeOf(column, "float", "int", "unsigned_int");
        if (column.width == 3)
            out.text += fmt::format("VECTORS {} {}\n", column.name, type);
        else
            out.text += fmt::format("SCALARS {} {} 1\nLOOKUP_TABLE default\n", column.name, type);
        rows(column);
    }
    return std::move(out.text);
}

// format: Houdini Development Kit, "Geometry File Format", version 5
std::string encodeBgeo(const ParticleTable& table) {
    Bytes<std::endian::big> out(bytesOf(table) + 4 * table.particles + 4096);
    const auto attributes = int32_t(table.columns.size() - 1);
    out.text = "BgeoV";
    out.put(int32_t{5});
    out.put(int32_t(table.particles));
    out.put(int32_t{0});  // primitives
    out.put(int32_t{0});  // point groups
    out.put(int32_t{0});  // primitive groups
    out.put(attributes);
    for (int k = 0; k < 3; ++k) out.put(int32_t{0});  // vertex, primitive and detail attributes
    for (size_t c = 1; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        const std::string name = column.name == "velocity" ? "v"
                                 : column.name == "radius" ? "pscale"
                                                           : column.name;
        out.put(uint16_t(name.size()));
        out.text += name;
        out.put(uint16_t(column.width));
        // 0 float, 1 int, 5 vector
        out.put(int32_t{column.width == 3 ? 5 : column.numbers.index() == 0 ? 0 : 1});
        for (int k = 0; k < column.width; ++k) out.put(uint32_t{0});  // default
    }
    for (size_t row = 0; row < table.particles; ++row) {
        out.put(table.columns[0], row);
        out.put(1.0f);  // weight
        for (size_t c = 1; c < table.columns.size(); ++c) out.put(table.columns[c], row);
    }
    out.text += '\x00';  // no extra information
    out.text += '\xff';
    return std::move(out.text);
}

// format: VTK File Formats, "XML File Formats", appended data
std::string encodeVtp(const ParticleTable& table) {
    const size_t n = table.particles;
    Bytes<std::endian::little> data(bytesOf(table) + 16 * n + 4096);
    std::string arrays[4];  // of FieldData, Points, PointData, Verts
    enum { field, points, pointData, verts };
    // declares an array whose bytes are appended next: their number, then the bytes
    const auto declare = [&](std::string& to, const char* type, const std::string& name, int width,
                             size_t bytes, const std::string& more = {}) {
        to += fmt::format(
            "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" "
            "offset=\"{}\"/>\n",
            type, name, width, more, data.text.size());
        data.put(uint32_t(bytes)), data.put(uint32_t(uint64_t{bytes} >> 32));
    };
    declare(arrays[field], "Float64", "TimeValue", 1, 8, " NumberOfTuples=\"1\"");
    const auto time = std::bit_cast<uint64_t>(table.time);
    data.put(uint32_t(time)), data.put(uint32_t(time >> 32));
    for (const Column& column : table.columns) {
        const bool isPosition = &column == &table.columns[0];
        declare(arrays[isPosition ? points : pointData], typeOf(column, "Float32", "Int32", "UInt32"),
                isPosition ? "Points" : column.name, column.width, 4 * n * size_t(column.width));
        for (size_t row = 0; row < n; ++row) data.put(column, row);
    }
    declare(arrays[verts], "Int32", "connectivity", 1, 4 * n);
    for (uint32_t k = 0; k < n; ++k) data.put(k);
    declare(arrays[verts], "Int32", "offsets", 1, 4 * n);
    for (uint32_t k = 0; k < n; ++k) data.put(k + 1);
    return fmt::format(
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
               "byte_order=\"LittleEndian\" "
               "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n{}</FieldData>\n"
               "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
               "NumberOfPolys=\"0\">\n<PointData "
               "Vectors=\"velocity\">\n{}</PointData>\n<Points>\n{}</Points>\n"
               "<Verts>\n{}</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
               arrays[field], n, n, arrays[pointData], arrays[points], arrays[verts]) +
           data.text + "\n</AppendedData>\n</VTKFile>\n";
}

}  // namespace

std::string encodeSeries(const std::vector<SeriesEntry>& entries) {
    std::string out =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
    for (const SeriesEntry& entry : entries)
        out += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", entry.time, entry.file);
    return out + "</Collection>\n</VTKFile>\n";
}

const std::vector<std::string>& exportFormatNames() {
    static const std::vector<std::string> names = {"ply", "vtk", "bgeo", "vtp", "usd", "vdb"};
    return names;
}

std::string encode(const ParticleTable& table, ExportFormat format) {
    switch (format) {
        case ExportFormat::ply:
            return encodePly(table);
        case ExportFormat::vtk:
            return encodeVtk(table);
        case ExportFormat::bgeo:
            return encodeBgeo(table);
        case ExportFormat::vtp:
            return encodeVtp(table);
        case ExportFormat::usd:  // several files
        case ExportFormat::vdb:  // no table
            break;
    }
    return {};
}

void requireWritableFolder(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        fail(Exit::Output, "--export-to " + folder.string(),
             "the folder cannot be created: " + failed.message(), "Choose a folder in a writable location.");
    const std::filesystem::path trial = folder / ".coalesce-export";
    writeFile(trial, "");
    std::filesystem::remove(trial, failed);
}

}  // namespace coalesce

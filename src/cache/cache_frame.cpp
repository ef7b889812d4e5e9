#include "cache/cache_frame.h"

#include <bit>
#include <cstring>
#include <limits>
#include <zstd.h>

#include "core/checksum.h"
#include "kernels/particles/quantized_velocity.h"

namespace coalesce {

namespace {

constexpr char kMagic[8] = {'C', 'o', 'a', 'l', 'C', 'a', 'c', 'h'};
constexpr uint32_t kEndianness = 0x01020304;
constexpr int kZstdLevel = 1;  // level 3 saves 1 % and takes three times as long

struct FileHeader {
    char magic[8];
    uint32_t version, endianness;
    uint64_t bytes;       // of the file
    uint64_t tableBytes;  // of the table, which follows
    uint64_t checksum;    // of the fields above and the table
};
static_assert(sizeof(FileHeader) == 40);

enum class Encoding : uint32_t { plain, zstd, base };

// The table: plain values and texts, one after the other.
class TableWriter {
public:
    std::string bytes;
    template <class T>
    void put(const T& value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put(const std::string& text) {
        put(uint32_t(text.size()));
        bytes += text;
    }
};
class TableReader {
public:
    TableReader(std::string_view bytes, const RefuseState& refuse) : m_rest(bytes), m_refuse(refuse) {}
    template <class T>
    T take() {
        T value;
        std::memcpy(&value, takeBytes(sizeof value).data(), sizeof value);
        return value;
    }
    std::string takeText() { return std::string(takeBytes(take<uint32_t>())); }
    bool isAtEnd() const { return m_rest.empty(); }

private:
    std::string_view takeBytes(size_t bytes) {
        if (bytes > m_rest.size()) m_refuse("its table of blocks is damaged");
        const std::string_view taken = m_rest.substr(0, bytes);
        m_rest.remove_prefix(bytes);
        return taken;
    }

    std::string_view m_rest;
    const RefuseState& m_refuse;
};

void putHeader(TableWriter& out, const CacheFrame& h) {
    out.put(uint64_t{h.full});
    for (const uint64_t word : {h.frame, h.base, h.step, std::bit_cast<uint64_t>(h.time), h.particles, h.hash,
                                h.run, h.origin.manifest, h.origin.scene, h.origin.bodies})
        out.put(word);
}

CacheFrame takeHeader(TableReader& in) {
    const auto word = [&] { return in.take<uint64_t>(); };
    CacheFrame h;
    h.full = word() != 0;
    h.frame = word(), h.base = word(), h.step = word(), h.time = std::bit_cast<double>(word());
    h.particles = word(), h.hash = word(), h.run = word();
    h.origin.manifest = word(), h.origin.scene = word(), h.origin.bodies = word();
    return h;
}

// Bytes k of all elements, for each k: those of equal significance compress well.
std::string transposed(std::span<const std::byte> bytes, size_t element) {
    const size_t count = bytes.size() / element;
    std::string out(bytes.size(), '\0');
    const auto* in = reinterpret_cast<const char*>(bytes.data());
    for (size_t k = 0; k < element; ++k) {
        char* to = out.data() + k * count;
        for (size_t i = 0; i < count; ++i) to[i] = in[i * element + k];
    }
    return out;
}

void transposeBack(const char* planes, size_t element, std::span<std::byte> bytes) {
    const size_t count = bytes.size() / element;
    for (size_t k = 0; k < element; ++k) {
        const char* from = planes + k * count;
        for (size_t i = 0; i < count; ++i) bytes[i * element + k] = std::byte(from[i]);
    }
}

// The words of an element minus those of the element before, with the sign in the lowest bit. Particles are
// stored in cell order, so neighbors in memory are neighbors in space.
void toDifferences(std::vector<std::byte>& bytes, size_t element) {
    const size_t words = element / 4, n = bytes.size() / 4;
    auto* word = reinterpret_cast<uint32_t*>(bytes.data());
    for (size_t i = n; i-- > words;) {
        const uint32_t d = word[i] - word[i - words];
        word[i] = (d << 1) ^ (0u - (d >> 31));
    }
}
void fromDifferences(std::span<std::byte> bytes, size_t element) {
    const size_t words = element / 4, n = bytes.size() / 4;
    auto* word = reinterpret_cast<uint32_t*>(bytes.data());
    for (size_t i = words; i < n; ++i) {
        const uint32_t d = (word[i] >> 1) ^ (0u - (word[i] & 1));
        word[i] = word[i - words] + d;
    }
}

std::vector<std::byte> roundedFloats(std::span<const std::byte> bytes) {
    std::vector<std::byte> out(bytes.begin(), bytes.end());
    for (size_t at = 0; at + 4 <= out.size(); at += 4) {
        uint32_t bits;
        std::memcpy(&bits, out.data() + at, 4);
        bits = quantizedBits(bits);
        std::memcpy(out.data() + at, &bits, 4);
    }
    return out;
}

const StateArray* find(const StateImage* image, const std::string& section, const std::string& name) {
    const StateSectionImage* found = image ? image->find(section) : nullptr;
    if (!found) return nullptr;
    for (const StateArray& array : found->arrays)
        if (array.name == name) return &array;
    return nullptr;
}

bool equal(const StateArray& a, const StateArray& b) {
    return a.layout == b.layout && a.bytes == b.bytes;
}

struct Block {
    Encoding encoding = Encoding::plain;
    std::string bytes;
};

Block blockOf(const StateArray& array, bool round) {
    const size_t element = bytesOfLayout(array.layout);
    Block block;
    if (array.ofParticles) {
        std::vector<std::byte> differences = round ? roundedFloats(array.bytes) : array.bytes;
        toDifferences(differences, element);
        block.bytes = transposed(differences, element);
    } else {
        block.bytes = transposed(array.bytes, element);
    }
    std::string packed(ZSTD_compressBound(block.bytes.size()), '\0');
    const size_t size =
        ZSTD_compress(packed.data(), packed.size(), block.bytes.data(), block.bytes.size(), kZstdLevel);
    CHECK(!ZSTD_isError(size));
    if (size < block.bytes.size()) {
        packed.resize(size);
        block = {Encoding::zstd, std::move(packed)};
    }
    return block;
}

struct Opened {
    CacheFrame header;
    TableReader table;
    std::string_view blocks;
};

Opened open(const std::string& bytes, const RefuseState& refuse) {
    FileHeader file;
    if (bytes.size() < sizeof file) refuse("it is shorter than a header");
    std::memcpy(&file, bytes.data(), sizeof file);
    if (std::memcmp(file.magic, kMagic, sizeof kMagic) != 0) refuse("it is not a frame of a cache");
    if (file.endianness != kEndianness) refuse("it was written on a machine of another byte order");
    if (file.version != kCacheVersion)
        refuse(fmt::format("it is a frame of cache version {}, and this program reads version {}",
                           file.version, kCacheVersion));
    if (file.bytes != bytes.size())
        refuse(fmt::format("it has {} bytes where {} are expected", bytes.size(), file.bytes));
    if (file.tableBytes > bytes.size() - sizeof file) refuse("its header is damaged");
    const std::string_view table(bytes.data() + sizeof file, file.tableBytes);
    if (file.checksum !=
        mixIn(checksum(&file, offsetof(FileHeader, checksum)), checksum(table.data(), table.size())))
        refuse("its header is damaged");
    TableReader reader(table, refuse);
    const CacheFrame header = takeHeader(reader);
    return {header, reader, std::string_view(bytes).substr(sizeof file + file.tableBytes)};
}

struct BlockHeader {
    std::string name, layout;
    bool ofParticles;
    uint64_t count;
    Encoding encoding;
    uint64_t bytes, checksum;
};

BlockHeader takeBlock(TableReader& table) {
    BlockHeader b;
    b.name = table.takeText();
    b.layout = table.takeText();
    b.ofParticles = table.take<uint32_t>() != 0;
    b.count = table.take<uint64_t>();
    b.encoding = Encoding(table.take<uint32_t>());
    b.bytes = table.take<uint64_t>(), b.checksum = table.take<uint64_t>();
    return b;
}

// visit(section name, version) and visit(section name, block header, stored bytes) for all of a file.
template <class OnSection, class OnBlock>
void forEachBlock(Opened& file, const RefuseState& refuse, OnSection&& onSection, OnBlock&& onBlock) {
    uint64_t at = 0;
    for (auto sections = file.table.take<uint32_t>(); sections > 0; --sections) {
        const std::string section = file.table.takeText();
        const auto version = file.table.take<uint32_t>();
        onSection(section, version);
        for (auto arrays = file.table.take<uint32_t>(); arrays > 0; --arrays) {
            const BlockHeader block = takeBlock(file.table);
            if (block.bytes > file.blocks.size() - at) refuse("its table of blocks is damaged");
            const std::string_view stored = file.blocks.substr(at, block.bytes);
            at += block.bytes;
            if (block.checksum != checksum(stored.data(), stored.size()))
                refuse(fmt::format("its block '{}' is damaged", block.name));
            onBlock(section, block, stored);
        }
    }
    if (at != file.blocks.size() || !file.table.isAtEnd()) refuse("its table of blocks is damaged");
}

void unpack(const BlockHeader& block, std::string_view stored, StateArray& array, const RefuseState& refuse) {
    const auto damaged = [&] { refuse(fmt::format("its block '{}' is damaged", block.name)); };
    const size_t element = bytesOfLayout(block.layout);
    if (element == 0 || block.count > std::numeric_limits<uint32_t>::max() * uint64_t{16}) damaged();
    const size_t size = block.count * element;
    std::string planes;
    if (block.encoding == Encoding::zstd) {
        // checked before memory is taken for it
        if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != size) damaged();
        planes.resize(size);
        const size_t got = ZSTD_decompress(planes.data(), size, stored.data(), stored.size());
        if (ZSTD_isError(got) || got != size) damaged();
        stored = planes;
    } else if (block.encoding != Encoding::plain || stored.size() != size) {
        damaged();
    }
    array.bytes.resize(size);
    transposeBack(stored.data(), element, array.bytes);
    if (block.ofParticles) fromDifferences(array.bytes, element);
}

}  // namespace

std::string encodeFrame(const CacheFrame& header, const StateImage& image, const StateImage* base) {
    CHECK_EQ(header.full, base == nullptr);
    TableWriter table;
    putHeader(table, header);
    table.put(uint32_t(image.sections.size()));
    std::string blocks;
    for (const StateSectionImage& section : image.sections) {
        table.put(section.name);
        table.put(section.version);
        table.put(uint32_t(section.arrays.size()));
        for (const StateArray& array : section.arrays) {
            const StateArray* same = array.ofParticles ? nullptr : find(base, section.name, array.name);
            Block block;
            if (same && equal(*same, array))
                block.encoding = Encoding::base;
            else
                block = blockOf(array, base && section.name == "particles" && array.name == "v");
            table.put(array.name);
            table.put(array.layout);
            table.put(uint32_t{array.ofParticles});
            table.put(array.count);
            table.put(block.encoding);
            table.put(uint64_t(block.bytes.size()));
            table.put(checksum(block.bytes.data(), block.bytes.size()));
            blocks += block.bytes;
        }
    }
    FileHeader file{.magic = {},
                    .version = kCacheVersion,
                    .endianness = kEndianness,
                    .bytes = sizeof file + table.bytes.size() + blocks.size(),
                    .tableBytes = table.bytes.size(),
                    .checksum = 0};
    std::memcpy(file.magic, kMagic, sizeof kMagic);
    file.checksum = mixIn(checksum(&file, offsetof(FileHeader, checksum)),
                          checksum(table.bytes.data(), table.bytes.size()));
    std::string bytes(reinterpret_cast<const char*>(&file), sizeof file);
    return bytes + table.bytes + blocks;
}

CacheFrame decodeHeader(const std::string& bytes, const RefuseState& refuse) {
    return open(bytes, refuse).header;
}

void verifyFrame(const std::string& bytes, const RefuseState& refuse) {
    Opened file = open(bytes, refuse);
    forEachBlock(
        file, refuse, [](const std::string&, uint32_t) {},
        [](const std::string&, const BlockHeader&, std::string_view) {});
}

StateImage decodeFrame(const std::string& bytes, const StateImage* base, const RefuseState& refuse) {
    Opened file = open(bytes, refuse);
    StateImage image;
    forEachBlock(
        file, refuse,
        [&](const std::string& section, uint32_t version) {
            image.sections.push_back({section, version, {}});
        },
        [&](const std::string& section, const BlockHeader& block, std::string_view stored) {
            StateArray& array = image.sections.back().arrays.emplace_back();
            array = {block.name, block.layout, block.ofParticles, block.count, {}};
            if (block.encoding == Encoding::base) {
                const StateArray* same = find(base, section, block.name);
                if (!same || same->layout != block.layout || same->count != block.count)
                    refuse(fmt::format("frame {}, which it refers to, does not fit", file.header.base));
                array.bytes = same->bytes;
            } else {
                unpack(block, stored, array, refuse);
            }
        });
    return image;
}

}  // namespace coalesce

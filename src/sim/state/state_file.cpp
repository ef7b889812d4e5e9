#include "sim/state/state_file.h"

#include <algorithm>
#include <optional>

#include "core/checksum.h"
#include "core/whole_file.h"
#include "sim/state/state_image.h"
#include "sim/state/state_validate.h"
#include "sim/state/world_snapshot.h"
#include "sim/world/ball.h"
#include "sim/world/body_factory.h"

namespace coalesce {

namespace {

constexpr char kMagic[6] = {'C', 'o', 'a', 'l', 'S', 't'};
constexpr uint32_t kEndianness = 0x01020304;

// Headers have no gaps, for the checksum.
struct FileHeader {
    char magic[6];
    char version[2];  // decimal digits
    uint32_t endianness;
    uint32_t sections;
    uint64_t manifest;  // manifestHash()
    uint64_t scene;     // sceneFingerprint()
    uint64_t bodies;    // bodiesFingerprint()
    uint64_t bytes;     // of the file
    uint64_t checksum;  // of the header above and the table of sections
};
static_assert(sizeof(FileHeader) == 56);

struct SectionHeader {
    char name[32];  // zero-terminated
    uint32_t version;
    uint32_t arrays;
    uint64_t bytes;
    uint64_t checksum;
};
static_assert(sizeof(SectionHeader) == 56);

// Followed by name, layout and elements; each of the two parts is filled up to whole words.
struct ArrayHeader {
    uint32_t nameBytes, layoutBytes;
    uint32_t ofParticles, unused;
    uint64_t count;
};
static_assert(sizeof(ArrayHeader) == 24);

uint64_t headerChecksum(const FileHeader& header, std::span<const SectionHeader> table) {
    return mixIn(checksum(&header, offsetof(FileHeader, checksum)),
                 checksum(table.data(), table.size_bytes()));
}

size_t toWholeWords(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

// ---- writing ----

void append(std::vector<char>& to, const void* data, size_t bytes) {
    const auto* p = static_cast<const char*>(data);
    to.insert(to.end(), p, p + bytes);
}

std::vector<char> bytesOf(const StateSectionImage& section) {
    std::vector<char> out;
    for (const StateArray& array : section.arrays) {
        const ArrayHeader header{uint32_t(array.name.size()), uint32_t(array.layout.size()),
                                 array.ofParticles, 0, array.count};
        append(out, &header, sizeof header);
        append(out, array.name.data(), array.name.size());
        append(out, array.layout.data(), array.layout.size());
        out.resize(toWholeWords(out.size()));
        append(out, array.bytes.data(), array.bytes.size());
        out.resize(toWholeWords(out.size()));
    }
    return out;
}

// ---- reading ----

// A file's bytes, with checks at every access.
class FileReader {
public:
    FileReader(const std::filesystem::path& file, const RefuseState& refuse) : m_refuse(refuse) {
        m_bytes = readFile(file);
        readHeader();
    }

    const FileHeader& header() const { return m_header; }

    std::vector<StateFileSection> sections() const {
        std::vector<StateFileSection> list;
        uint64_t offset = sizeof m_header + m_table.size() * sizeof(SectionHeader);
        for (const SectionHeader& s : m_table) {
            list.push_back({s.name, s.version, offset, s.bytes});
            offset += s.bytes;
        }
        return list;
    }

    StateImage image() const {
        StateImage image;
        const std::vector<StateFileSection> list = sections();
        for (size_t k = 0; k < list.size(); ++k) image.sections.push_back(readSection(list[k], m_table[k]));
        return image;
    }

private:
    void readHeader() {
        if (m_bytes.size() < sizeof m_header) m_refuse("it is shorter than a header");
        std::memcpy(&m_header, m_bytes.data(), sizeof m_header);
        const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
        const char* digits = m_header.version;
        if (std::memcmp(m_header.magic, kMagic, sizeof kMagic) != 0 || !isDigit(digits[0]) ||
            !isDigit(digits[1]))
            m_refuse("it is not a saved state of Coalesce");
        const int version = 10 * (digits[0] - '0') + digits[1] - '0';
        if (version != kStateFileVersion)
            m_refuse(fmt::format("it is a state file of version {}, and this program reads version {}",
                                 version, kStateFileVersion));
        if (m_header.endianness != kEndianness) m_refuse("it was written on a machine of another byte order");
        if (m_header.sections > (m_bytes.size() - sizeof m_header) / sizeof(SectionHeader))
            m_refuse("its table of sections is damaged");
        m_table.resize(m_header.sections);
        if (!m_table.empty())
            std::memcpy(m_table.data(), m_bytes.data() + sizeof m_header,
                        m_table.size() * sizeof(SectionHeader));
        if (m_header.checksum != headerChecksum(m_header, m_table)) m_refuse("its header is damaged");
        uint64_t expected = sizeof m_header + m_table.size() * sizeof(SectionHeader);
        for (const SectionHeader& s : m_table) {
            if (s.name[sizeof s.name - 1] != 0 || s.bytes > m_header.bytes) m_refuse("its header is damaged");
            expected += s.bytes;
        }
        if (m_bytes.size() != m_header.bytes || m_header.bytes != expected)
            m_refuse(fmt::format("it has {} bytes where {} are expected", m_bytes.size(), expected));
    }

    StateSectionImage readSection(const StateFileSection& section, const SectionHeader& header) const {
        const char* begin = m_bytes.data() + section.offset;
        const auto damaged = [&] { m_refuse(fmt::format("its section '{}' is damaged", section.name)); };
        if (header.checksum != checksum(begin, section.bytes)) damaged();
        StateSectionImage image{section.name, section.version, {}};
        uint64_t at = 0;
        const auto take = [&](uint64_t bytes) {
            if (bytes > section.bytes - at) damaged();
            const char* taken = begin + at;
            at += bytes;
            return taken;
        };
        for (uint32_t k = 0; k < header.arrays; ++k) {
            ArrayHeader a;
            std::memcpy(&a, take(sizeof a), sizeof a);
            const char* text = take(toWholeWords(size_t{a.nameBytes} + a.layoutBytes));
            StateArray& array = image.arrays.emplace_back();
            array.name.assign(text, a.nameBytes);
            array.layout.assign(text + a.nameBytes, a.layoutBytes);
            array.ofParticles = a.ofParticles != 0;
            array.count = a.count;
            const size_t element = bytesOfLayout(array.layout);
            if (element == 0 || a.count > section.bytes / element) damaged();
            array.bytes.resize(a.count * element);
            const char* elements = take(toWholeWords(array.bytes.size()));
            if (!array.bytes.empty()) std::memcpy(array.bytes.data(), elements, array.bytes.size());
        }
        if (at != section.bytes) damaged();
        return image;
    }

    const RefuseState& m_refuse;
    std::string m_bytes;
    FileHeader m_header{};
    std::vector<SectionHeader> m_table;
};

RefuseState refusalOf(const std::filesystem::path& file) {
    return [file](const std::string& why) {
        fail(Exit::Scene, file.string(), "this saved state is refused: " + why, "The world is unchanged.");
    };
}

}  // namespace

void writeStateImage(const StateImage& image, const World& world, const std::filesystem::path& file) {
    const StateOrigin origin = originOf(world);
    FileHeader header{.magic = {},
                      .version = {'0' + kStateFileVersion / 10, '0' + kStateFileVersion % 10},
                      .endianness = kEndianness,
                      .sections = uint32_t(image.sections.size()),
                      .manifest = origin.manifest,
                      .scene = origin.scene,
                      .bodies = origin.bodies,
                      .bytes = sizeof header + image.sections.size() * sizeof(SectionHeader),
                      .checksum = 0};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    std::vector<SectionHeader> table;
    std::vector<std::vector<char>> sections;
    for (const StateSectionImage& section : image.sections) {
        const std::vector<char>& bytes = sections.emplace_back(bytesOf(section));
        SectionHeader& entry = table.emplace_back();
        CHECK_LT(section.name.size(), sizeof entry.name);
        section.name.copy(entry.name, sizeof entry.name - 1);
        entry.version = section.version;
        entry.arrays = uint32_t(section.arrays.size());
        entry.bytes = bytes.size();
        entry.checksum = checksum(bytes.data(), bytes.size());
        header.bytes += bytes.size();
    }
    header.checksum = headerChecksum(header, table);

    OutputFile out(file);
    out.write({reinterpret_cast<const char*>(&header), sizeof header});
    out.write({reinterpret_cast<const char*>(table.data()), table.size() * sizeof(SectionHeader)});
    for (const std::vector<char>& bytes : sections) out.write({bytes.data(), bytes.size()});
    out.finish();
}

void saveState(const World& world, const std::filesystem::path& file) {
    writeStateImage(captureState(world), world, file);
}

StateImage readStateImage(const std::filesystem::path& file) {
    const RefuseState refuse = refusalOf(file);
    return FileReader(file, refuse).image();
}

void loadState(World& world, const std::filesystem::path& file) {
    const RefuseState refuse = refusalOf(file);
    const FileReader in(file, refuse);
    const FileHeader& header = in.header();
    const StateOrigin origin{header.manifest, header.scene, header.bodies};
    requireManifest(origin, refuse);  // before the sections are read: they may have other arrays
    const StateImage image = in.image();
    const WorldSnapshot before(world);
    try {
        applyStateImage(image, origin, world, refuse);
    } catch (const Error& error) {
        if (error.code != Exit::Scene) before.restore(world);  // a refused image has changed nothing
        throw;
    } catch (...) {  // memory ran out half-way
        before.restore(world);
        throw;
    }
}

StateOrigin originOf(const World& world) {
    return {manifestHash(), sceneFingerprint(world), bodiesFingerprint(world)};
}

void requireManifest(const StateOrigin& origin, const RefuseState& refuse) {
    if (origin.manifest != manifestHash())
        refuse("it was written by a version of Coalesce with other parameters or arrays");
}

namespace {

// What a world has at a later time besides what it was built with: bodies that the timeline has added, and where a ball was
// thrown its prefab and perhaps its material. They go again unless they are kept.
class LaterParts {
public:
    explicit LaterParts(World& world) : m_world(world) {}
    ~LaterParts() {
        if (m_kept) return;
        try {
            if (m_before) m_before->restore(m_world);
        } catch (...) {  // the device has failed
        }
        if (m_ball && !m_before) removeBall(m_world);
    }
    LaterParts(const LaterParts&) = delete;
    LaterParts& operator=(const LaterParts&) = delete;

    void add(const HostState& state, const RefuseState& refuse) {
        std::vector<const LaterBody*> all, missing;
        for (const LaterBody& later : m_world.laterBodies) {
            if (!(later.after < state.time)) continue;
            all.push_back(&later);
            if (later.group >= m_world.groups.size()) missing.push_back(&later);
        }
        if (all.size() != state.laterIds.size()) refuse(kOtherBodies);
        const float radius = validBallRadius(state, refuse);
        if (!missing.empty()) m_before.emplace(m_world);
        const SpawnRecord record = m_world.spawnRecord;
        for (size_t k = all.size() - missing.size(); k < all.size(); ++k) {
            // the last ones are missing: they are added in this order
            if (state.laterIds[k] + all[k]->particles > state.nextId) refuse(kOtherBodies);
            m_world.nextId = state.laterIds[k];
            all[k]->add(m_world);
        }
        m_world.spawnRecord = record;
        if (radius > 0 && !m_world.spawning.ball.prefab) makeBall(m_world, radius), m_ball = true;
    }
    void keep() { m_kept = true; }

private:
    World& m_world;
    std::optional<WorldSnapshot> m_before;  // where bodies were added
    bool m_ball = false, m_kept = false;
};

}  // namespace

void applyStateImage(const StateImage& image, const StateOrigin& origin, World& world,
                     const RefuseState& refuse) {
    // validate everything before the world is touched
    requireManifest(origin, refuse);
    HostState state(world);
    StateImageReader reader(image, refuse);
    visitRunState(reader, state);
    reader.finish();

    LaterParts parts(world);
    parts.add(state, refuse);
    if (origin.scene != sceneFingerprint(world))
        refuse("it belongs to a scene with other materials, shapes or attributes");
    if (origin.bodies != bodiesFingerprint(world)) refuse(kOtherBodies);
    validateState(state, refuse);

    setBodySlots(world, state.spawning.slots);
    StateImageReader apply(image, refuse);
    visitRunState(apply, world);
    parts.keep();
    ++world.solids.topology;
    for (const uint32_t phase : state.particles.phase)
        world.groupsNamed = std::max(world.groupsNamed, groupOf(phase) + 1);
    world.commands.clear();
    // the surfaces at this time; the next frame makes fields with its own displacement
    for (Shape& shape : world.shapes)
        if (shape.deforming) shape.geometry = shape.deforming->between(world.time, world.time);
}

std::string noteOfMethod(const World& world) {
    const auto now = uint32_t(world.parameters.solver.method);
    if (world.frame == 0 || world.method == now) return "";
    const std::vector<std::string_view>& names = choiceNames<Method>();
    return fmt::format(
        "The state was computed by the method {}, and {} continues it: from the same positions and "
        "velocities, with other pressures.",
        names.at(world.method), names.at(now));
}

std::vector<StateFileSection> sectionsOf(const std::filesystem::path& stateFile) {
    const RefuseState refuse = refusalOf(stateFile);
    return FileReader(stateFile, refuse).sections();
}

}  // namespace coalesce

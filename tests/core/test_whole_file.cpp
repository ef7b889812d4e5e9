// Whole files: links, FIFOs and devices are kept, and a full disk leaves the old file.
#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/whole_file.h"
#include "support/full_disk.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

namespace fs = std::filesystem;

// The message of the refusal, which has this exit code; "" without one.
template <class Action>
std::string refusal(Exit code, Action&& action) {
    try {
        action();
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, code) << error.what();
        return error.what();
    }
}

size_t filesIn(const fs::path& folder) {
    return size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WholeFile, AFileIsReplacedWithItsPermissions) {
    const TemporaryFolder folder;
    const fs::path file = folder / "a.json";
    writeFile(file, "first");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    fs::create_hard_link(file, folder / "old");
    writeFile(file, "second");
    EXPECT_EQ(readText(file), "second");
    EXPECT_EQ(readText(folder / "old"), "first") << "it was replaced, not overwritten";
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(readFile(file), "second");
    EXPECT_EQ(filesIn(folder.path()), 2u);
}

TEST(WholeFile, SymbolicLinksStayAndTheirTargetsAreReplaced) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "data");
    writeText(folder / "data" / "a", "first");
    fs::create_symlink("data/a", folder / "link");
    fs::create_symlink("link", folder / "link of link");
    fs::create_symlink("data/new", folder / "to nothing yet");
    writeFile(folder / "link of link", "second");
    writeFile(folder / "to nothing yet", "third");
    EXPECT_EQ(readText(folder / "data" / "a"), "second");
    EXPECT_EQ(readText(folder / "data" / "new"), "third");
    for (const char* link : {"link", "link of link", "to nothing yet"})
        EXPECT_TRUE(fs::is_symlink(folder / link)) << link;
    EXPECT_EQ(filesIn(folder / "data"), 2u);

    fs::create_symlink("ring", folder / "ring");
    EXPECT_NE(refusal(Exit::Output, [&] { writeFile(folder / "ring", ""); }), "");
    // the part is no way to another file
    writeText(folder / "victim", "kept");
    fs::create_symlink("victim", folder / "b.part");
    writeFile(folder / "b", "new");
    EXPECT_EQ(readText(folder / "victim"), "kept");
    EXPECT_EQ(readText(folder / "b"), "new");
}

TEST(WholeFile, FifosAndDevicesAreWrittenThrough) {
    const TemporaryFolder folder;
    const fs::path fifo = folder / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
    writeFile(fifo, "through");
    char text[16] = {};
    EXPECT_EQ(read(reader, text, sizeof text), 7);
    EXPECT_STREQ(text, "through");
    close(reader);
    EXPECT_TRUE(fs::is_fifo(fifo));

    fs::create_symlink("/dev/null", folder / "nowhere");
    writeFile(folder / "nowhere", "gone");
    EXPECT_TRUE(fs::is_symlink(folder / "nowhere"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_NE(refusal(Exit::Output, [] { writeFile("/dev/full", "x"); }).find("No space left"),
              std::string::npos);
    EXPECT_TRUE(fs::is_character_file("/dev/full"));

    // a descriptor: what the file had stays
    writeText(folder / "log", "before ");
    const int log = open((folder / "log").c_str(), O_WRONLY | O_APPEND);
    writeFile("/dev/fd/" + std::to_string(log), "after");
    close(log);
    EXPECT_EQ(readText(folder / "log"), "before after");
    EXPECT_EQ(filesIn(folder.path()), 3u);
}

TEST(WholeFile, WhatIsNoFileIsNamed) {
    const TemporaryFolder folder;
    ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
    EXPECT_NE(refusal(Exit::Output, [&] { writeFile(folder.path(), ""); }).find("a folder"),
              std::string::npos);
    EXPECT_NE(refusal(Exit::Output, [&] { writeFile(folder / "missing" / "a", ""); }).find("No such file"),
              std::string::npos);
    // without a writer, reading would wait forever
    EXPECT_NE(refusal(Exit::Scene, [&] { readFile(folder / "fifo"); }).find("a FIFO"), std::string::npos);
    EXPECT_NE(refusal(Exit::Scene, [&] { readFile(folder.path()); }).find("a folder"), std::string::npos);
    EXPECT_NE(refusal(Exit::Scene, [&] { readFile("/dev/zero"); }).find("a device"), std::string::npos);
    EXPECT_NE(refusal(Exit::Scene, [&] { readFile(folder / "a"); }).find("does not exist"),
              std::string::npos);
    writeText(folder / "a", "twelve bytes");
    EXPECT_NE(refusal(Exit::Scene, [&] { readFile(folder / "a", 11); }), "");
    EXPECT_EQ(readFile(folder / "a", 12), "twelve bytes");
}

TEST(WholeFile, AFullDiskLeavesTheOldFile) {
    const TemporaryFolder folder;
    const fs::path file = folder / "a";
    writeFile(file, "old");
    const std::string bytes(10'000, 'x');
    for (const uint64_t space : {0, 1, 4096, 9'999}) {
        std::string message;
        {
            const FullDisk full(space);
            message = refusal(Exit::Output, [&] { writeFile(file, bytes); });
        }
        EXPECT_NE(message.find("Free disk space"), std::string::npos) << space << ": " << message;
        EXPECT_EQ(readText(file), "old") << space;
        EXPECT_EQ(filesIn(folder.path()), 1u) << space;
    }
    const FullDisk enough(10'000);
    writeFile(file, bytes);
    EXPECT_EQ(readText(file), bytes);
}

}  // namespace
}  // namespace coalesce::test

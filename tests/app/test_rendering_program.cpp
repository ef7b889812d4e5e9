// view and record: exit codes, and a window on a virtual display.
#include <gtest/gtest.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <fmt/format.h>
#include <random>
#include <set>
#include <stb_image.h>

#include "killed_program.h"
#include "program.h"

namespace coalesce::test {
namespace {

using RenderingProgram = Program;

TEST_F(RenderingProgram, RecordsWithoutADisplay) {
    const std::string images = (folder / "images").string();
    const Ran ran =
        coalesceProgram("record " + small + " --frames 3 --resolution 96x64 --backend cpu --images " + images,
                        "env -u DISPLAY -u WAYLAND_DISPLAY");
    EXPECT_EQ(ran.code, 0) << ran.text;
    EXPECT_TRUE(says(ran, "3 images of 216 particles")) << ran.text;
    EXPECT_TRUE(std::filesystem::exists(folder / "images" / "frame_000002.png"));
}

// A limit on the size of files ends like a full disk: write() fails in the middle of a file.
TEST_F(RenderingProgram, ImagesOnAFullDiskAreReportedAndLeaveNoPartialFiles) {
    for (const std::string format : {"exr", "png"}) {
        const std::string images = (folder / format).string(), name = "frame_000000." + format;
        const std::string command = "record " + small +
                                    " --frames 2 --resolution 320x180 --backend cpu --image-format " +
                                    format + " --images " + images;
        const Ran full = coalesceProgram(command, "trap '' XFSZ; ulimit -f 20;");  // blocks of 512 bytes
        EXPECT_EQ(full.code, 7) << full.text;
        EXPECT_TRUE(says(full, name) && says(full, "could not be written completely")) << full.text;
        EXPECT_TRUE(std::filesystem::is_empty(images)) << format;
        EXPECT_EQ(coalesceProgram(command).code, 0);
        EXPECT_GT(std::filesystem::file_size(folder / format / name), 20 * 512u);
    }
}

// Images are those of an unbroken recording, and a video has its name only when it is whole.
TEST_F(RenderingProgram, AKilledRecordingLeavesNoPartialFiles) {
    const auto recordInto = [&](const char* name) {
        std::filesystem::create_directory(folder / name);
        return "record " + small + " --frames 12 --resolution 160x90 --backend cpu --images " +
               (folder / name).string() + " --video " + (folder / name / "film.mp4").string();
    };
    ASSERT_EQ(coalesceProgram(recordInto("whole")).code, 0);
    std::mt19937 random(7);
    int killed = 0, files = 0;
    for (int k = 0; k < killsWanted(); ++k) {
        std::filesystem::remove_all(folder / "killed");
        const size_t wanted = 1 + random() % 11;  // of twelve images
        const auto isDue = [&] { return wholeFilesIn(folder / "killed") >= wanted; };
        killed += runAndKill(recordInto("killed"), isDue, std::chrono::microseconds(random() % 5000));
        for (const auto& entry : std::filesystem::directory_iterator(folder / "killed")) {
            const std::string name = entry.path().filename().string();
            if (name.find(".part") != std::string::npos) continue;
            ++files;
            EXPECT_TRUE(readText(entry.path()) == readText(folder / "whole" / name)) << name;
        }
    }
    EXPECT_GT(killed, 0);
    EXPECT_GT(files, 0);
}

// The number of rendering threads must not change images; on hardware the variable has no effect.
TEST_F(RenderingProgram, ImagesDoNotDependOnRenderingThreads) {
    const auto drawImage = [&](const std::string& threads) {
        const std::string images = (folder / threads).string();
        const Ran ran = coalesceProgram(
            "record " + small + " --frames 8 --resolution 160x90 --backend cpu --images " + images,
            "LP_NUM_THREADS=" + threads);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(images + "/frame_000007.png");
    };
    const std::string one = drawImage("1");
    EXPECT_FALSE(one.empty());
    EXPECT_TRUE(one == drawImage("2"));
}

TEST_F(RenderingProgram, FormerWordsStillWork) {
    const auto drawImage = [&](const std::string& option, const std::string& word) {
        const std::string images = (folder / word).string();
        const Ran ran = coalesceProgram("record " + small + " --frames 1 --resolution 96x64 --backend cpu " +
                                        option + " " + word + " --images " + images);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(images + "/frame_000000.png");
    };
    EXPECT_EQ(drawImage("--color", "channel"), drawImage("--color", "attribute"));
    const std::string fast = drawImage("--quality", "fast");
    EXPECT_TRUE(drawImage("--quality", "spheres") == fast);
    EXPECT_FALSE(drawImage("--quality", "final") == fast);
}

TEST_F(RenderingProgram, UsageErrorsExitWith2) {
    for (const std::string options : {"",
                                      "--images a --resolution 12",
                                      "--images a --quality best",
                                      "--images a --color blue",
                                      "--video a.gif",
                                      "--video a.mp4 --resolution 63x64",
                                      "--images a --gl egl:x",
                                      "--images a --fps 45",
                                      "--images a --camera none",
                                      "--images a --ssaa 3",
                                      "--images a --shapes glass",
                                      "--images a --samples 0",
                                      "--images a --samples 257",
                                      "--images a --video-depth 10",
                                      "--images a --image-format tiff",
                                      "--images a --image-format exr --video a.mp4",
                                      "--video a.mp4 --video-depth 12",
                                      "--images a --shutter 90",
                                      "--images a --samples 2 --shutter 361",
                                      "--images a --samples 2 --focus 2",
                                      "--images a --samples 2 --aperture 0.1 --focus nan",
                                      "--images a --samples 2 --aperture 0.1 --focus -1"})
        EXPECT_EQ(coalesceProgram("record " + small + " --frames 1 --backend cpu " + options).code, 2)
            << options;
    EXPECT_EQ(coalesceProgram("view " + small + " --gl surfaceless").code, 2);
}

TEST_F(RenderingProgram, BestIsShortForItsOptions) {
    const std::string out = folder.path().string();
    const auto drawn = [&](const std::string& options) {
        const Ran ran = coalesceProgram(
            "record " + small + " --backend cpu --quiet --duration 0.05 --resolution 96x64 --poster " + out +
            "/a.png " + options);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(out + "/a.png");
    };
    const std::string best = drawn("--best");
    EXPECT_TRUE(best == drawn("--quality final --surface mesh --mesh-smoothing 8 --samples 16 --shutter 0"));
    // each of them matters
    for (const std::string fewer : {"--surface mesh --mesh-smoothing 8 --samples 16 --shutter 0",
                                    "--quality final --mesh-smoothing 8 --samples 16 --shutter 0",
                                    "--quality final --surface mesh --samples 16 --shutter 0",
                                    "--quality final --surface mesh --mesh-smoothing 8",
                                    "--quality final --surface mesh --mesh-smoothing 8 --samples 16"})
        EXPECT_FALSE(best == drawn(fewer)) << fewer;
    // what is given wins
    EXPECT_TRUE(drawn("--best --samples 2 --surface particles") ==
                drawn("--quality final --surface particles --samples 2 --shutter 0"));
}

TEST_F(RenderingProgram, AColorThatIsGivenReplacesThatOfThePoster) {
    const std::string out = folder.path().string();
    const auto drawn = [&](const std::string& poster, const std::string& options) {
        const std::string scene = smallScene(folder, R"("poster": { "time": 0.05)" + poster + " },").string();
        const Ran ran =
            coalesceProgram("record " + scene + " --backend cpu --quiet --resolution 96x64 --poster " + out +
                            "/b.png " + options);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(out + "/b.png");
    };
    const std::string surface = drawn("", "");
    EXPECT_FALSE(surface == drawn(R"(, "color": "speed")", ""));
    EXPECT_TRUE(surface == drawn(R"(, "color": "speed")", "--color surface"));
}

// Shots are recorded alone and joined with equal bytes; the film has the images of all shots, in order.
TEST_F(RenderingProgram, NothingToRecordIsAUsageError) {
    const std::string video = (folder / "out.mp4").string();
    for (const std::string options :
         {"--frames 0", "--duration 0", "--fps nan", "--exposure nan", "--sun nan,3", "--sun 1,inf",
          "--range nan,1", "--split nan", "--clip z=5", "--clip w=..1", "--clip x=..nan", "--clip y=.."}) {
        const Ran ran = coalesceProgram("record " + small + " " + options + " --video " + video);
        EXPECT_EQ(ran.code, 2) << options << "\n" << ran.text;
        EXPECT_FALSE(std::filesystem::exists(video)) << options;
    }
}

TEST_F(RenderingProgram, ShotsAreRecordedAloneAndJoined) {
    const std::string film = (folder / "cut.json").string(), out = folder.path().string();
    writeText(film, R"({ "tracks": [{ "set": "solver.timeScale", "keys": [{ "t": 0, "value": 0.5 }] }],
        "cameras": [{ "name": "a", "eye": [3, 2, 3], "look": [0, 0, 0], "orbit": 90 }, { "name": "b", "eye": [0, 3, 1], "look": [0, 0, 0] }],
        "timeline": [{ "at": 0.1, "camera": "b" }],
        "shots": [{ "name": "one", "from": 0, "to": 0.05, "output": ")" +
                        out + R"(/one" },
                  { "name": "two", "from": 0.08, "to": 0.13, "output": ")" +
                        out + R"(/two" },
                  { "name": "big", "from": 0, "to": 0.02, "resolution": "64x64", "output": ")" +
                        out + R"(/big" }] })");
    const std::string record = "record " + small + " --film " + film + " --backend cpu ";
    const Ran all = coalesceProgram(record + "--resolution 96x64 --shot all --images " + out + "/all");
    EXPECT_EQ(all.code, 0) << all.text;
    EXPECT_TRUE(says(all, "7 images of 3 shots")) << all.text;
    const Ran one = coalesceProgram(record + "--resolution 96x64 --shot two --images " + out + "/alone");
    EXPECT_EQ(one.code, 0) << one.text;
    const auto image = [&](const std::string& name) { return readText(folder / name); };
    for (const auto& [joined, alone] :
         {std::pair("0", "one/frame_000000.png"), std::pair("3", "two/frame_000000.png"),
          std::pair("5", "two/frame_000002.png"), std::pair("6", "big/frame_000000.png")}) {
        EXPECT_FALSE(image(alone).empty());
        EXPECT_TRUE(image("all/frame_00000" + std::string(joined) + ".png") == image(alone)) << alone;
    }
    EXPECT_TRUE(image("alone/frame_000002.png") == image("two/frame_000002.png"));
    EXPECT_FALSE(image("two/frame_000000.png") == image("two/frame_000002.png")) << "the cut";

    const auto refused = [&](const std::string& options, const std::string& words) {
        const Ran ran = coalesceProgram(record + options);
        EXPECT_EQ(ran.code, 2) << ran.text;
        EXPECT_TRUE(says(ran, words)) << ran.text;
    };
    refused("--shot on --images " + out + "/x", "Did you mean \"one\"?");
    refused("--shot all --images " + out + "/x", "they cannot be joined");
    refused("--shot one --duration 1 --images " + out + "/x", "--duration");
    const Ran none = coalesceProgram("record " + small + " --shot all --images " + out + "/x");
    EXPECT_EQ(none.code, 2);
    EXPECT_TRUE(says(none, "the scene has no shots")) << none.text;
}

// One recording, drawn in parts from a cache, from the start and
// from a saved state: the bytes of one program.
TEST_F(RenderingProgram, RecordingsAreDrawnInPartsAndJoined) {
    const std::string out = folder.path().string();
    const auto run = [&](const std::string& arguments) {
        const Ran ran = coalesceProgram(arguments + " --quiet");
        EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.text;
    };
    const std::string look = " --resolution 96x64 --fps 30 --samples 2 --aperture 0.02 --focus block ";
    run("run " + small + " --frames 20 --backend cpu --cache " + out + "/cache");
    const std::string fromCache = "record --from-cache " + out + "/cache" + look;
    run(fromCache + "--images " + out + "/whole --video " + out + "/whole.mp4");
    run(fromCache + "--image-range 7: --images " + out + "/parts");
    run(fromCache + "--image-range 0:2 --images " + out + "/parts");
    run(fromCache + "--image-range 3:6 --images " + out + "/parts");
    run("record --from-images " + out + "/parts --fps 30 --video " + out + "/parts.mp4");
    for (int k = 0; k <= 10; ++k) {
        const std::string name = fmt::format("/frame_{:06}.png", k);
        EXPECT_FALSE(readText(out + "/whole" + name).empty()) << name;
        EXPECT_TRUE(readText(out + "/whole" + name) == readText(out + "/parts" + name)) << name;
    }
    EXPECT_FALSE(readText(out + "/whole.mp4").empty());
    EXPECT_TRUE(readText(out + "/whole.mp4") == readText(out + "/parts.mp4"));

    // without a cache: from the start, and from a saved state
    const std::string simulated = "record " + small + " --backend cpu --frames 8" + look;
    run(simulated + "--images " + out + "/run");
    run("run " + small + " --frames 5 --backend cpu --save-state " + out + "/state");
    run(simulated + "--images " + out + "/run_parts --image-range 0:3");
    run(simulated + "--images " + out + "/run_parts --image-range 4: --load-state " + out + "/state");
    for (int k = 0; k < 8; ++k) {
        const std::string name = fmt::format("/frame_{:06}.png", k);
        EXPECT_TRUE(readText(out + "/run" + name) == readText(out + "/run_parts" + name)) << name;
    }

    const auto refused = [&](const std::string& arguments, int code, const std::string& words) {
        const Ran ran = coalesceProgram(arguments);
        EXPECT_EQ(ran.code, code) << ran.text;
        EXPECT_TRUE(says(ran, words)) << ran.text;
    };
    std::filesystem::remove(out + "/parts/frame_000004.png");
    refused("record --from-images " + out + "/parts --video " + out + "/x.mp4", 2,
            "images are missing: 4 to 4");
    refused(fromCache + "--image-range 11: --images " + out + "/x", 2, "the recording has 11 images");
    refused(simulated + "--image-range 1:2 --images " + out + "/x --load-state " + out + "/state", 2,
            "the state is at frame 5, the first image shows frame 2");
    refused(fromCache + "--image-range 3-4 --images " + out + "/x", 2, "this is no range");
    refused("record " + small + " --quality finall --images " + out + "/x", 2, "Did you mean \"final\"?");
    refused("record " + small + " --poster " + out + "/x.jpg", 2, "the image is written as PNG");
}

// All shots of one run are drawn while it is simulated once, or from its cache.
TEST_F(RenderingProgram, ShotsAreDrawnFromOneRun) {
    const std::string film = (folder / "film.json").string(), out = folder.path().string();
    writeText(film,
              R"({ "duration": 0.2, "shots": [{ "name": "late", "from": 0.1, "to": 0.15, "camera": "top" },
        { "name": "early", "from": 0, "to": 0.05 }, { "name": "middle", "from": 0.05, "to": 0.1 }] })");
    const std::string scene = small + " --film " + film + " --backend cpu --quiet ",
                      look = "--resolution 96x64 ";
    const auto run = [&](const std::string& arguments) {
        const Ran ran = coalesceProgram(arguments);
        EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.text;
    };
    run("record " + scene + look + "--color id --shot all --images " + out + "/all");
    int image = 0;
    for (const std::string shot : {"late", "early", "middle"}) {
        run("record " + scene + look + "--color id --shot " + shot + " --images " + out + "/" + shot);
        for (int k = 0; k < 3; ++k, ++image)
            EXPECT_TRUE(readText(fmt::format("{}/all/frame_{:06}.png", out, image)) ==
                        readText(fmt::format("{}/{}/frame_{:06}.png", out, shot, k)))
                << shot << k;
    }
    EXPECT_TRUE(std::filesystem::exists(out + "/all/frame_000008.png"));
    // particles are drawn equally from a cache
    run("run " + scene + "--cache " + out + "/cache");
    run("record --from-cache " + out + "/cache --quiet " + look + "--color id --shot all --images " + out +
        "/cached");
    for (int k = 0; k < 9; ++k) {
        const std::string name = fmt::format("/frame_{:06}.png", k);
        EXPECT_TRUE(readText(out + "/all" + name) == readText(out + "/cached" + name)) << name;
    }
}

TEST_F(RenderingProgram, ContactLinesAreDrawnOnRequest) {
    const auto drawImage = [&](const std::string& name, const std::string& look) {
        const std::string images = (folder / name).string();
        // by then the block has fallen to the floor
        const Ran ran = coalesceProgram(
            "record " + small + " --frames 16 --fps 30 --resolution 160x90 --backend cpu --color body " +
            look + " --images " + images);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(images + "/frame_000015.png");
    };
    const std::string plain = drawImage("plain", "--shapes wire");
    EXPECT_FALSE(plain.empty());
    EXPECT_FALSE(plain == drawImage("lines", "--shapes wire --contacts"));
}

TEST_F(RenderingProgram, ColorRangeAppliesToAllImages) {
    const auto drawImage = [&](const std::string& name, const std::string& look) {
        const std::string images = (folder / name).string();
        const Ran ran =
            coalesceProgram("record " + small + " --frames 2 --resolution 160x90 --backend cpu --color id " +
                            look + " --images " + images);
        EXPECT_EQ(ran.code, 0) << ran.text;
        return readText(images + "/frame_000001.png");
    };
    const std::string own = drawImage("own", "");
    EXPECT_FALSE(own.empty());
    const std::string wide = drawImage("wide", "--range -1000,100000");
    EXPECT_FALSE(own == wide);
    EXPECT_FALSE(wide == drawImage("wider", "--range -1000,200000")) << "the legend says so too";
    const Ran turned = coalesceProgram("record " + small + " --frames 1 --range 2,1 --images a");
    EXPECT_EQ(turned.code, 2);
    EXPECT_TRUE(says(turned, "must be less than")) << turned.text;
}

TEST_F(RenderingProgram, MissingOpenGlExitsWith4) {
    const Ran ran = coalesceProgram("record " + small + " --frames 1 --backend cpu --gl egl:99 --images a");
    EXPECT_EQ(ran.code, 4);
    EXPECT_TRUE(says(ran, "Tried")) << ran.text;
}

TEST_F(RenderingProgram, MissingDisplayExitsWith4AndNamesAnAlternative) {
    const Ran ran = coalesceProgram("view " + small, "env -u DISPLAY -u WAYLAND_DISPLAY");
    EXPECT_EQ(ran.code, 4);
    EXPECT_TRUE(says(ran, "coalesce record " + small)) << ran.text;
    EXPECT_EQ(coalesceProgram("view " + small, "env -u WAYLAND_DISPLAY DISPLAY=:9999").code, 4);
}

TEST_F(RenderingProgram, EncoderErrorsExitWith7) {
    EXPECT_EQ(coalesceProgram("record " + small +
                              " --frames 1 --backend cpu --resolution 96x64 --video /dev/null/out.mp4")
                  .code,
              7);
    const Ran missing = coalesceProgram("record " + small + " --video out.mp4", "env PATH=/nowhere");
    EXPECT_EQ(missing.code, 7);
    EXPECT_TRUE(says(missing, "apt install ffmpeg")) << missing.text;
    EXPECT_EQ(coalesceProgram("record " + small +
                              " --frames 1 --backend cpu --resolution 96x64 --images /dev/null/x")
                  .code,
              7);
}

TEST_F(RenderingProgram, MissingFoldersExitWith7BeforeDrawing) {
    const std::string missing = (folder / "missing" / "out.mp4").string();
    for (const std::string option :
         {"--video ", "--images ", "--images a --hash-log ", "--images a --save-state "}) {
        const Ran ran =
            coalesceProgram("record " + small + " --frames 100000 --backend cpu " + option + missing);
        EXPECT_EQ(ran.code, 7) << option;
        EXPECT_TRUE(says(ran, "there is no folder")) << ran.text;
    }
}

// After an interrupt, the images so far are a video under a name of its own, and no encoder is running.
TEST_F(RenderingProgram, InterruptsExitWith1AndKeepTheVideoSoFar) {
    const Ran ran =
        interruptedProgram("record " + small + " --frames 100000 --backend cpu --resolution 96x64 --images " +
                               (folder / "images").string() + " --video " + (folder / "out.mp4").string(),
                           (folder / "images/frame_000003.png").string());
    EXPECT_EQ(ran.code, 1) << ran.text;
    EXPECT_FALSE(std::filesystem::exists(folder / "out.mp4"));
    const std::filesystem::path part = folder / "out.part.mp4";
    EXPECT_TRUE(says(ran, "The images so far are a video: " + part.string())) << ran.text;
    const Ran frames = shell(
        "ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 " +
        part.string());
    const int images = std::atoi(frames.text.c_str());
    EXPECT_GT(images, 0) << frames.text;
    EXPECT_TRUE(says(ran, fmt::format("stopped after {} of 100000 images", images)))
        << frames.text << ran.text;
}

// Panel on the left, viewport on the right, with the overlay: many colors everywhere.
TEST_F(RenderingProgram, WindowShowsTheScene) {
    const std::string file = (folder / "window.png").string();
    const Ran ran = coalesceProgram(
        "view " + small + " --backend cpu --resolution 960x540 --quality fast --frames 60 --screenshot " +
            file,
        "'" XVFB_RUN "' -a -s '-screen 0 1280x720x24'");
    ASSERT_EQ(ran.code, 0) << ran.text;
    int width = 0, height = 0, channels = 0;
    uint8_t* pixels = stbi_load(file.c_str(), &width, &height, &channels, 3);
    ASSERT_NE(pixels, nullptr);
    EXPECT_EQ(width, 960);
    EXPECT_EQ(height, 540);
    const auto colors = [&](int left, int right) {
        std::set<int> seen;
        for (int y = 0; y < height; ++y)
            for (int x = left; x < right; ++x) {
                const uint8_t* p = pixels + 3 * (size_t(y) * width + x);
                seen.insert(p[0] << 16 | p[1] << 8 | p[2]);
            }
        return seen.size();
    };
    EXPECT_GT(colors(0, 340), 50u) << "panel";
    EXPECT_GT(colors(380, 640), 200u) << "viewport";
    stbi_image_free(pixels);
}

}  // namespace
}  // namespace coalesce::test

// Viewports over many scenes, without a window: no leaks, no OpenGL errors.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <vector>

#include "bridge/scene_camera.h"
#include "render/gl/egl_context.h"
#include "support/small_scene.h"
#include "view/app/recording.h"
#include "view/overlay/time_bar.h"
#include "view/viewport/case_grid.h"
#include "view/viewport/viewport.h"

namespace coalesce::test {
namespace {

size_t openFiles() {
    size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
    return count;
}
// What malloc has given out and not got back. The resident size is no measure of it: it also depends on the
// threads of Mesa and the arenas they use.
double heapMegabytes() {
    const struct mallinfo2 now = mallinfo2();
    return double(now.uordblks + now.hblkhd) / 1e6;
}

class Viewports : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        EglOptions options;
        options.debug = true;
        s_context = std::make_unique<EglContext>(options);
    }
    static void TearDownTestSuite() { s_context.reset(); }
    void TearDown() override {
        EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
        for (const std::string& error : log.errors()) ADD_FAILURE() << "OpenGL: " << error;
    }
    static std::filesystem::path scene(const std::string& name) {
        return std::filesystem::path(COALESCE_SCENES) / (name + ".json");
    }
    bool show(int width, int height) {
        viewport.follow(session);
        view.camera = cameraOf(session.scene().cameras[0]);
        viewport.publish(session, view);
        return viewport.draw(renderer, view, width, height);
    }

    static inline std::unique_ptr<EglContext> s_context;
    gl::DebugLog log;
    TemporaryFolder folder;
    Session session{smallScene(folder), {}, {.backend = "cpu"}};
    Renderer renderer;
    Viewport viewport{[](const std::string&) {}};
    ViewSettings view;
};

TEST_F(Viewports, EverySizeIsDrawn) {
    for (const auto& [width, height] :
         {std::pair{1, 1}, {2, 1}, {1, 300}, {64, 48}, {63, 47}, {320, 180}, {1, 1}}) {
        for (const Quality quality : {Quality::Points, Quality::Fast, Quality::Standard, Quality::Final}) {
            view.draw.quality = quality;
            EXPECT_TRUE(show(width, height)) << width << " x " << height;
        }
        EXPECT_EQ(viewport.target()->output().width, width);
    }
    EXPECT_FALSE(show(0, 0)) << "minimized";
    EXPECT_FALSE(show(-20, 100)) << "all panel";
}

// The legend of a draft has the size and the sharpness of that of a full image.
TEST_F(Viewports, ADraftHasAFullLegend) {
    view.draw.mode = DrawMode::Particles;
    view.draw.colorBy = ColorBy::Speed;
    view.draw.autoRange = false;
    constexpr int kWidth = 640, kHeight = 360;
    int width = 0;
    const auto draw = [&](const DrawOptions& options, bool inLegend) {
        view.draw = options;
        EXPECT_TRUE(show(kWidth, kHeight));
        width = renderer.legendWidth();
        const std::vector<uint8_t> all = readPixels(viewport.target()->output());
        // white letters, or all of the rest
        std::vector<uint8_t> part;
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const uint8_t* pixel = &all[4 * (size_t(y) * kWidth + size_t(x))];
                if (inLegend ? x > kWidth - width : x < kWidth - 2 * width)
                    part.push_back(inLegend ? uint8_t(pixel[0] > 200 && pixel[2] > 200) : pixel[0]);
            }
        return part;
    };
    const DrawOptions full = view.draw, draft = draftOf(full);
    const auto letters = draw(full, true);
    const int fullWidth = width;
    EXPECT_GT(std::count(letters.begin(), letters.end(), 1), 100);
    const auto inDraft = draw(draft, true);
    ASSERT_EQ(inDraft.size(), letters.size());
    size_t differing = 0;  // at the edges of letters: what lies behind the legend differs
    for (size_t k = 0; k < letters.size(); ++k) differing += letters[k] != inDraft[k];
    EXPECT_LT(double(differing), 0.05 * double(std::count(letters.begin(), letters.end(), 1)));
    EXPECT_EQ(width, fullWidth);
    EXPECT_LT(width, kWidth / 5);
    // control: the image itself is another one
    EXPECT_NE(draw(draft, false), draw(full, false));
    DrawOptions none = full;
    none.legend = false;
    EXPECT_NE(draw(none, true), letters);
}

TEST_F(Viewports, HiddenBodiesAreNotDrawn) {
    const auto image = [&] {
        EXPECT_TRUE(show(160, 120));
        return readPixels(viewport.target()->output());
    };
    const auto shown = image();
    for (const Body& body : session.scene().bodies) view.hiddenBodies.insert(body.name);
    const auto hidden = image();
    EXPECT_NE(hidden, shown);
    view.hiddenBodies = {"no such body"};
    EXPECT_EQ(image(), shown);
}

TEST_F(Viewports, AnEmptyWorldAndOneParticleAreDrawn) {
    for (const char* matter :
         {R"("emitters": [{ "name": "tap", "material": "water", "disc": { "radius": 0.1 }, "start": 1 }])",
          R"("bodies": [{ "name": "one", "material": "water", "points": [[0, 0.5, 0]] }])"}) {
        writeText(
            folder / "few.json",
            R"({ "materials": { "water": { "spacing": 0.1 } }, "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0] } }], )" +
                std::string(matter) + " }");
        ASSERT_TRUE(session.open(folder / "few.json", {})) << session.problem();
        for (int k = 0; k < 3; ++k) {
            for (const Quality quality : {Quality::Points, Quality::Standard, Quality::Final}) {
                view.draw.quality = quality;
                EXPECT_TRUE(show(64, 48));
            }
            view.draw.mode = DrawMode::Particles;
            EXPECT_TRUE(show(64, 48));
            view.draw.mode = DrawMode::Surface;
            session.step();
        }
        EXPECT_EQ(session.problem(), "");
        EXPECT_TRUE(session.restore(0));
        EXPECT_TRUE(show(64, 48));
    }
}

// One scene for each kind of rendering.
TEST_F(Viewports, NoOpenGlErrorsInScenesOfEveryKind) {
    SceneChoice small;
    small.size = "ci";
    for (const char* name :
         {"dam_break", "hourglass", "bunny_pile", "soft_shapes", "cloth_water", "rope_bridge", "balloon_jet",
          "fountain_idols", "dye", "flag_wind", "trigger_volume", "triangle_bowls"}) {
        ASSERT_TRUE(session.open(scene(name), small)) << session.problem();
        for (int k = 0; k < 2; ++k) {
            EXPECT_TRUE(show(96, 64)) << name;
            view.draw.mode = DrawMode::Particles, view.draw.wire = true,
            view.lines.toggle(LineView::Contacts);
            EXPECT_TRUE(show(96, 64)) << name;
            view = {};
            session.step();
        }
        EXPECT_EQ(session.problem(), "") << name;
        EXPECT_TRUE(log.errors().empty()) << name;
    }
}

TEST_F(Viewports, AHundredScenesDoNotLeak) {
    SceneChoice small;
    small.size = "ci";
    const char* const names[] = {"still_tank", "cube_drop", "cloth_drape", "friction_ramp", "spin"};
    const auto visit = [&](int count) {
        for (int k = 0; k < count; ++k) {
            ASSERT_TRUE(session.open(scene(names[k % 5]), small)) << session.problem();
            show(64, 48);
            session.step();
            show(64, 48);
        }
    };
    visit(70);  // more than undo keeps
    const size_t filesBefore = openFiles();
    const double limit = heapMegabytes() + 4;
    visit(100);
    EXPECT_EQ(openFiles(), filesBefore);
    EXPECT_LT(heapMegabytes(), limit) << "in megabytes; 40 kB per scene";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which replace malloc
    const std::vector<std::vector<char>> lost(100, std::vector<char>(50'000));
    EXPECT_GT(heapMegabytes(), limit) << "control: 50 kB per scene";
#endif
}

// ---- shader files ----

TEST_F(Viewports, ModifiedShadersAreReported) {
    const std::filesystem::path shaders = folder / "shaders";
    std::filesystem::copy(COALESCE_SHADER_DIR, shaders);
    EXPECT_EQ(modifiedShaders(gl::ShaderLibrary()), "");
    const gl::ShaderLibrary library(shaders);
    EXPECT_EQ(modifiedShaders(library), "");
    writeText(shaders / "mesh.vert", readText(shaders / "mesh.vert") + "// later\n");
    EXPECT_THAT(modifiedShaders(library),
                testing::HasSubstr("The shader mesh.vert has changed since the program was built"));
    std::filesystem::remove(shaders / "view.glsl");
    EXPECT_THAT(modifiedShaders(library), testing::HasSubstr("view.glsl"));
}

TEST_F(Viewports, BrokenShaderFilesFallBackToTheBuiltInOnes) {
    const std::filesystem::path shaders = folder / "shaders";
    std::filesystem::copy(COALESCE_SHADER_DIR, shaders);
    const auto imageBy = [&](Renderer& by) {
        view.camera = cameraOf(session.scene().cameras[0]);
        viewport.follow(session);
        viewport.publish(session, view);
        EXPECT_TRUE(viewport.draw(by, view, 64, 48));
        return readPixels(viewport.target()->output());
    };
    const std::vector<uint8_t> good = imageBy(renderer);
    writeText(shaders / "view.glsl", "#error of another version\n" + readText(shaders / "view.glsl"));
    Renderer other{gl::ShaderLibrary(shaders)};
    EXPECT_THAT(other.shaderErrors(), testing::HasSubstr("view.glsl"));
    EXPECT_EQ(imageBy(other), good);
}

// ---- cases side by side ----

TEST_F(Viewports, CasesLeaveNoCellEmpty) {
    std::string list = R"("a": {})";
    for (const char* next : {"b", "c", "d"}) {
        list += std::string(", \"") + next + "\": {}";
        SceneChoice choice;
        choice.caseName = "a";
        ASSERT_TRUE(session.open(smallScene(folder, "\"cases\": {" + list + "},"), choice));
        CaseGrid cases([](const std::string&) {});
        ASSERT_EQ(cases.open(session), "");
        EXPECT_EQ(size_t(cases.columns() * cases.rows()), 1 + cases.others().size()) << list;
    }
}

TEST_F(Viewports, CasesFollowTheFirstInTime) {
    CaseGrid cases([](const std::string&) {});
    EXPECT_NE(cases.open(session).find("no cases"), std::string::npos);
    EXPECT_FALSE(cases.isShown());
    EXPECT_EQ(cases.columns(), 1);
    ASSERT_TRUE(session.open(smallScene(folder, R"("cases": {
        "thin": { "hand.ballRadius": 0.2 }, "still": { "world.gravity": [0, 0, 0] }, "slow": { "solver.frameRate": 30 },
        "thick": { "materials.water.viscosity": 1 }, "fifth": { "materials.water.viscosity": 2 } },)"),
                             {}));
    viewport.follow(session);
    ASSERT_EQ(cases.open(session), "");
    EXPECT_EQ(cases.columns() * cases.rows(), 4);
    for (int k = 0; k < 16; ++k) {
        session.step();
        cases.follow(session);
    }
    view.camera = cameraOf(session.scene().cameras[0]);
    const auto shown = [&] {
        EXPECT_TRUE(cases.draw(renderer, session, viewport, view, 256, 192));
        return readPixels(cases.target()->output());
    };
    const auto rows = [](const std::vector<uint8_t>& all, int column, int row, int first, int last) {
        std::vector<uint8_t> part;
        for (int y = first; y < last; ++y) {
            const auto from = all.begin() + 4 * ((row * 96 + y) * 256 + column * 128);
            part.insert(part.end(), from, from + 4 * 128);
        }
        return part;
    };
    // below the name of the case, which ends at 30 pixels
    const auto cell = [&](const std::vector<uint8_t>& all, int column, int row) {
        return rows(all, column, row, 32, 96);
    };
    const std::vector<uint8_t> all = shown();
    EXPECT_EQ(cell(all, 0, 0), cell(all, 1, 0)) << "thin is as in the file";
    EXPECT_NE(cell(all, 0, 0), cell(all, 0, 1)) << "nothing falls";
    EXPECT_NE(rows(all, 0, 0, 0, 32), rows(all, 1, 0, 0, 32)) << "the image says which case it shows";
    ASSERT_TRUE(session.restore(6));
    cases.follow(session);
    EXPECT_EQ(cell(shown(), 0, 0), cell(shown(), 1, 0)) << "they go back as well";
    for (const Session* other : cases.others()) EXPECT_NEAR(other->world().time, session.world().time, 1e-6);
    // all together stay within the rewind memory
    const auto bytes = [&] {
        size_t sum = session.snapshots().bytes();
        for (const Session* other : cases.others()) sum += other->snapshots().bytes();
        return double(sum);
    };
    const auto each = double(WorldSnapshot::bytesOf(session.world()));
    session.snapshots().setLimits({.megabytes = float(10.5e-6 * each)});
    cases.follow(session);
    for (int k = 0; k < 60; ++k) {
        session.step();
        cases.follow(session);
    }
    EXPECT_LE(bytes(), 10.5 * each);
    EXPECT_GT(bytes(), 5 * each);
    session.restart(true);
    cases.follow(session);
    EXPECT_EQ(cell(shown(), 0, 0), cell(shown(), 0, 1)) << "at the start all are alike";

    EXPECT_FALSE(cases.draw(renderer, session, viewport, view, 1, 1));
    ASSERT_TRUE(openNextCase(session));
    cases.follow(session);
    EXPECT_FALSE(cases.isShown()) << "another case is played";
}

// ---- recording from the window ----

struct Film {
    std::vector<uint64_t> taken;  // frames of the session
    bool finished = false, gone = false;
};
class FilmSink : public FrameSink {
public:
    FilmSink(Film& film, Session& session, int failAt) : m_film(film), m_session(session), m_failAt(failAt) {}
    ~FilmSink() override { m_film.gone = true; }
    void take(const OutputTarget&) override {
        if (int(m_film.taken.size()) == m_failAt) fail(Exit::Output, "the film", "it tore", "");
        m_film.taken.push_back(m_session.world().frame);
    }
    void finish() override { m_film.finished = true; }

private:
    Film& m_film;
    Session& m_session;
    int m_failAt;
};

TEST_F(Viewports, EveryFrameIsRecordedOnce) {
    Film film;
    RecordingFile asked;
    Recording recording([&](const RecordingFile& file) {
        asked = file;
        return OpenedRecording{std::make_unique<FilmSink>(film, session, -1), 1};
    });
    EXPECT_FALSE(recording.isRunning());
    session.step();
    recording.start(session, {101, 77}, false);
    EXPECT_EQ(asked.file, "small_0001.mp4");
    EXPECT_EQ(asked.size, (Size{100, 76})) << "videos have even sizes";
    EXPECT_EQ(asked.frameRate, 60);
    ASSERT_TRUE(show(recording.size().width, recording.size().height));
    for (int k = 0; k < 5; ++k) {
        // a paused frame is captured once
        recording.take(session, viewport.target()->output());
        recording.take(session, viewport.target()->output());
        session.step();
    }
    EXPECT_EQ(film.taken, (std::vector<uint64_t>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(recording.isOf(session));
    const std::string words = recording.finish();
    EXPECT_NE(words.find("Saved 5 frames (100×76): "), std::string::npos) << words;
    EXPECT_NE(words.find((std::filesystem::current_path() / "small_0001.mp4").string()), std::string::npos)
        << words;
    EXPECT_TRUE(film.finished);
    EXPECT_FALSE(recording.isRunning());
}

TEST_F(Viewports, ARecordingShowsOneContinuousRun) {
    Film film;
    Recording recording([&](const RecordingFile&) {
        return OpenedRecording{std::make_unique<FilmSink>(film, session, -1), 3};
    });
    ASSERT_TRUE(session.open(smallScene(folder, R"("cases": { "thick": { "materials.water.viscosity": 1 } },
        "sizes": { "ci": { "materials.water.spacing": 0.2 } },)"),
                             {}));
    session.advanceFrames(12, 0);
    ASSERT_TRUE(show(64, 48));
    recording.start(session, {64, 48}, false);
    session.seekBlockedReason = recording.seekBlockedReason();
    const auto record = [&] { recording.take(session, viewport.target()->output()); };
    record();
    // a frame stepped in between does not shift the images
    session.step(), record();
    EXPECT_EQ(recording.framesToNext(session), 2u);
    session.advanceFrames(int(recording.framesToNext(session)), 0), record();
    EXPECT_EQ(film.taken, (std::vector<uint64_t>{12, 15}));

    EXPECT_FALSE(session.restore(6));
    EXPECT_FALSE(scrub(session, -1));
    EXPECT_EQ(session.world().frame, 15u);
    EXPECT_FALSE(session.paused) << "nothing happens at all";
    EXPECT_NE(session.seekBlockedReason.find("F9"), std::string::npos);
    EXPECT_TRUE(recording.isOf(session));

    // each of these starts another run
    const auto ends = [&](auto&& what) {
        recording.start(session, {64, 48}, false);
        EXPECT_TRUE(recording.isOf(session));
        what();
        EXPECT_FALSE(recording.isOf(session));
    };
    ends([&] { session.restart(true); });
    ends([&] { session.restart(false); });
    ends([&] { ASSERT_TRUE(session.reload()); });
    ends([&] { ASSERT_TRUE(openNextCase(session)); });
    SceneChoice ci = session.choice();
    ci.size = "ci";
    ends([&] { ASSERT_TRUE(session.open(folder / "small.json", ci)); });
    recording.finish();
    session.seekBlockedReason = recording.seekBlockedReason();
    session.advanceFrames(7, 0);
    EXPECT_TRUE(session.restore(0));
}

TEST_F(Viewports, AFailedRecordingEndsAndAnotherCanStart) {
    Film film;
    Recording recording([&](const RecordingFile&) {
        return OpenedRecording{std::make_unique<FilmSink>(film, session, 1), 1};
    });
    show(64, 48);
    recording.start(session, {64, 48}, true);
    recording.take(session, viewport.target()->output());
    session.step();
    EXPECT_THROW(recording.take(session, viewport.target()->output()), Error);
    EXPECT_FALSE(recording.isRunning());
    EXPECT_TRUE(film.gone);
    EXPECT_FALSE(film.finished);
    EXPECT_THROW(recording.start(session, {1, 1}, false), Error) << "too small for a video";
    film = {};
    recording.start(session, {64, 48}, false);
    EXPECT_TRUE(recording.isRunning());
}

}  // namespace
}  // namespace coalesce::test

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "scene/format/presets.h"
#include "support/small_scene.h"
#include "view/panel/settings.h"
#include "view/viewport/view_settings.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class SettingsFiles : public ::testing::Test {
protected:
    TemporaryFolder folder;
    std::filesystem::path file = folder / "config/coalesce/settings.json";
    std::string warning;
};

TEST_F(SettingsFiles, RoundTrip) {
    Settings s;
    s.width = 800, s.height = 613, s.panelWidth = 321.5f, s.fontScale = 1.25f;
    s.quality = Quality::Points, s.draft = Draft::Off, s.background = Background::Night,
    s.recordingSize = RecordingSize::FullHd, s.ground = Ground::Grid, s.exposure = 1.5f;
    s.rewind = {.seconds = 3, .perSecond = 7, .megabytes = 99};
    s.recent = {"/a/b.json", "/c d/ö.json"};
    saveSettings(s, file);
    const Settings read = loadSettings(file, warning);
    EXPECT_EQ(warning, "");
    EXPECT_EQ(read.width, 800);
    EXPECT_EQ(read.height, 613);
    EXPECT_EQ(read.panelWidth, 321.5f);
    EXPECT_EQ(read.fontScale, 1.25f);
    EXPECT_EQ(read.quality, Quality::Points);
    EXPECT_EQ(pixelsOf(read.recordingSize), std::pair(1920, 1080));
    EXPECT_EQ(read.draft, Draft::Off);
    EXPECT_EQ(read.background, Background::Night);
    EXPECT_EQ(read.ground, Ground::Grid);
    EXPECT_EQ(read.exposure, 1.5f);
    EXPECT_EQ(read.rewind.seconds, 3);
    EXPECT_EQ(read.rewind.perSecond, 7);
    EXPECT_EQ(read.rewind.megabytes, 99);
    EXPECT_EQ(read.recent, s.recent);
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".part"));
}

// Also with unusual values of the environment variables.
TEST_F(SettingsFiles, SettingsAndPresetsShareAFolder) {
    const auto kept = [](const char* name) {
        return std::getenv(name) ? std::string(std::getenv(name)) : "";
    };
    const std::string config = kept("XDG_CONFIG_HOME"), home = kept("HOME");
    const auto places = [](const char* xdg, const char* own) {
        setenv("XDG_CONFIG_HOME", xdg, 1), setenv("HOME", own, 1);
        return std::pair{settingsFile().string(), presetFolder().string()};
    };
    const auto in = [](const std::string& folder) {
        return std::pair{folder + "/coalesce/settings.json", folder + "/coalesce/presets"};
    };
    EXPECT_EQ(places("/a/b", "/home/me"), in("/a/b"));
    EXPECT_EQ(places("", "/home/me"), in("/home/me/.config"));
    EXPECT_EQ(places("relative", "/home/me"), in("/home/me/.config"));
    EXPECT_EQ(places("", ""), (std::pair<std::string, std::string>{}));
    EXPECT_EQ(places("", "relative"), (std::pair<std::string, std::string>{}));
    EXPECT_THROW(presetFile(presetFolder(), "mine"), Error) << "not in whatever folder the program is in";
    config.empty() ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", config.c_str(), 1);
    home.empty() ? unsetenv("HOME") : setenv("HOME", home.c_str(), 1);
}

// Options of the command line apply to one run; changes made in the window are kept.
TEST_F(SettingsFiles, OnlyChangesMadeInTheWindowAreKept) {
    Settings kept;
    kept.quality = Quality::Fast, kept.exposure = 1.5f, kept.ground = Ground::Grid;
    DrawOptions start;
    start.quality = Quality::Points, start.background = Background::Night, start.exposure = 3;
    start.ground = Ground::None;
    DrawOptions now = start;
    kept.takeChanges(start, now);
    EXPECT_EQ(kept.quality, Quality::Fast);
    EXPECT_EQ(kept.background, Background::Studio);
    EXPECT_EQ(kept.ground, Ground::Grid);
    EXPECT_EQ(kept.exposure, 1.5f);
    now.background = Background::Sunset, now.exposure = 2;
    kept.takeChanges(start, now);
    EXPECT_EQ(kept.background, Background::Sunset);
    EXPECT_EQ(kept.exposure, 2);
    EXPECT_EQ(kept.quality, Quality::Fast);
}

TEST(Skies, SunOptionAppliesToItsBackground) {
    ViewSettings view;
    view.draw.background = Background::Sunset;
    view.draw.sunDirection = sunDirection(10, 20);
    view.givenSun = {view.draw.background, view.draw.sunDirection};
    const int count = int(std::size(kBackgroundNames));
    for (int k = 1; k <= count; ++k) {
        const auto sky = static_cast<Background>((int(Background::Sunset) + k) % count);
        view.chooseSky(sky);
        EXPECT_EQ(view.draw.background, sky);
        EXPECT_EQ(view.draw.sunDirection, k == count ? sunDirection(10, 20) : sunOf(sky)) << k;
    }
}

TEST_F(SettingsFiles, NoFileMeansDefaultsAndNoWarning) {
    EXPECT_EQ(loadSettings(file, warning).width, 1280);
    EXPECT_EQ(warning, "");
}

TEST_F(SettingsFiles, ABrokenFileIsRenamedWithAWarning) {
    for (const char* text : {"{ \"width\": 8", "[1]", ""}) {
        saveSettings({}, file);
        writeText(file, text);
        warning.clear();
        EXPECT_EQ(loadSettings(file, warning).width, 1280);
        EXPECT_THAT(warning, HasSubstr("settings.json.broken"));
        EXPECT_EQ(readText(file.string() + ".broken"), text);
        EXPECT_FALSE(std::filesystem::exists(file));
    }
}

TEST_F(SettingsFiles, ValuesOutOfRangeAndUnknownKeysGetDefaults) {
    saveSettings({}, file);
    writeText(
        file,
        R"({ "width": -5, "height": "tall", "quality": "best", "exposure": 2, "new": [], "recent": [3] })");
    const Settings s = loadSettings(file, warning);
    EXPECT_EQ(warning, "");
    EXPECT_EQ(s.width, 1280);
    EXPECT_EQ(s.height, 720);
    EXPECT_EQ(s.quality, Quality::Standard);
    EXPECT_EQ(s.exposure, 2);
    EXPECT_TRUE(s.recent.empty());
}

TEST_F(SettingsFiles, FormerNamesOfTheQualityAreRead) {
    saveSettings({}, file);
    writeText(file, R"({ "quality": "spheres" })");
    EXPECT_EQ(loadSettings(file, warning).quality, Quality::Fast);
    writeText(file, R"({ "quality": "final" })");
    EXPECT_EQ(loadSettings(file, warning).quality, Quality::Final);
}

TEST_F(SettingsFiles, AFolderThatCannotBeCreatedIsAnError) {
    writeText(folder / "file", "");
    EXPECT_THROW(saveSettings({}, folder / "file/settings.json"), Error);
}

TEST_F(SettingsFiles, RecentScenesAreUniqueAndOrdered) {
    Settings s;
    for (int k = 0; k < 20; ++k) s.addRecent("/x/" + std::to_string(k) + ".json");
    s.addRecent("/x/15.json");
    ASSERT_EQ(s.recent.size(), Settings::kMaxRecent);
    EXPECT_EQ(s.recent[0], "/x/15.json");
    EXPECT_EQ(s.recent[1], "/x/19.json");
    EXPECT_EQ(std::count(s.recent.begin(), s.recent.end(), "/x/15.json"), 1);
}

}  // namespace
}  // namespace coalesce::test

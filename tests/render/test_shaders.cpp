// Live reload: a broken shader keeps the last valid version and reports the error.
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "fixture.h"
#include "render/gl/embedded_shaders.h"

namespace coalesce::test {
namespace {

namespace fs = std::filesystem;

class Shaders : public Drawing {
protected:
    void SetUp() override {
        folder = fs::path(::testing::TempDir()) / ("coalesce_shaders_" + std::to_string(::getpid()));
        fs::remove_all(folder);
        fs::copy(COALESCE_SHADER_DIR, folder);
    }
    void TearDown() override {
        fs::remove_all(folder);
        Drawing::TearDown();
    }
    void write(const std::string& name, const std::string& text) {
        std::ofstream(folder / name) << text;
        // file times are coarse: advance by an hour, so that every write is noticed
        stamp += std::chrono::hours(1);
        fs::last_write_time(folder / name, stamp);
    }
    std::string read(const std::string& name) {
        std::ifstream file(folder / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    fs::path folder;
    fs::file_time_type stamp = fs::file_time_type::clock::now();
};

TEST_F(Shaders, ErrorsKeepTheLastValidVersionAndNameFileAndLine) {
    Renderer live{gl::ShaderLibrary(folder)};
    GlBuffers buffers;
    const RenderFrame frame;
    const auto draw = [&] { return drawImage(live, frame, buffers, Camera{}, DrawOptions{}, 64, 36); };
    const auto before = draw();
    EXPECT_FALSE(live.pollShaders());  // no change yet

    const std::string good = read("tonemap.frag");
    write("tonemap.frag",
          "// first line\nlayout(location = 0) out vec4 color;\nvoid main() { color = nonsense; }\n");
    EXPECT_TRUE(live.pollShaders());
    EXPECT_NE(live.shaderErrors().find("tonemap.frag:3"), std::string::npos) << live.shaderErrors();
    EXPECT_NE(live.shaderErrors().find("nonsense"), std::string::npos);
    EXPECT_EQ(draw(), before);

    write("tonemap.frag",
          "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1.0, 0.0, 0.0, 1.0); }\n");
    EXPECT_TRUE(live.pollShaders());
    EXPECT_EQ(live.shaderErrors(), "");
    EXPECT_EQ(draw()[0], 255);
    EXPECT_EQ(draw()[1], 0);

    write("tonemap.frag", good);
    EXPECT_TRUE(live.pollShaders());
    EXPECT_EQ(draw(), before);
}

TEST_F(Shaders, ErrorsInIncludedFilesNameThatFile) {
    Renderer live{gl::ShaderLibrary(folder)};
    live.pollShaders();
    write("color_map.glsl", read("color_map.glsl") + "\nfloat broken() { return oops; }\n");
    EXPECT_TRUE(live.pollShaders());
    EXPECT_NE(live.shaderErrors().find("color_map.glsl:"), std::string::npos) << live.shaderErrors();
}

TEST_F(Shaders, DeletedFilesAreReported) {
    Renderer live{gl::ShaderLibrary(folder)};
    fs::remove(folder / "composite.frag");
    EXPECT_TRUE(live.pollShaders());
    EXPECT_NE(live.shaderErrors().find("composite.frag"), std::string::npos);
}

TEST_F(Shaders, ErrorsAtStartFallBackToTheBuiltInShader) {
    write("backdrop.frag", "#include \"not_there.glsl\"\nvoid main() {}\n");
    Renderer live{gl::ShaderLibrary(folder)}, builtIn;
    EXPECT_NE(live.shaderErrors().find("not_there.glsl"), std::string::npos) << live.shaderErrors();
    GlBuffers buffers;
    const auto drawn = [&](Renderer& by) {
        return drawImage(by, RenderFrame{}, buffers, Camera{}, DrawOptions{}, 64, 36);
    };
    EXPECT_EQ(drawn(live), drawn(builtIn));
}

TEST_F(Shaders, BuiltInSourcesEqualTheSourceTree) {
    const gl::ShaderLibrary builtIn, live(COALESCE_SHADER_DIR);
    std::vector<std::string> files;
    size_t found = 0;
    for (const auto& entry : fs::directory_iterator(COALESCE_SHADER_DIR)) {
        const std::string name = entry.path().filename().string();
        EXPECT_EQ(builtIn.source(name, {}, files), live.source(name, {}, files)) << name;
        ++found;
    }
    EXPECT_EQ(found, size_t(gl::kEmbeddedShaderCount)) << "the folder and the program differ in their files";
    EXPECT_GT(found, 50u);
}

}  // namespace
}  // namespace coalesce::test

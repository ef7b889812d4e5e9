#include "app/display_options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

#include "app/options.h"
#include "core/error.h"
#include "record/environment_file.h"
#include "scene/format/shots.h"

namespace coalesce {

namespace {

static_assert(std::size(kQualityNames) == size_t(Quality::Final) + 1);

const std::vector<std::string> kShapeStyles = {"solid", "outlined", "wire", "none"};
const std::vector<std::string> kClothStyles = {"solid", "outlined", "wire"};  // in the order of the enum

template <class Enum>
Enum enumOf(const std::vector<std::string>& words, const std::string& word) {
    return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

std::vector<std::string> colorWords() {
    std::vector<std::string> words = {"surface"};
    for (const QuantityInfo& q : kQuantities) words.push_back(q.word);
    return words;
}

// The present word for a quantity whose word has changed; any other word as it is.
std::string presentColorWord(std::string word) {
    for (const QuantityInfo& q : kQuantities)
        if (!word.empty() && word == q.formerWord) return q.word;
    return word;
}

// {1280, 720} from "1280x720"
std::pair<int, int> parseResolution(const std::string& text) {
    int width = 0, height = 0;
    if (parseImageSize(text, width, height)) return {width, height};
    fail(Exit::Usage, "--resolution " + text, "invalid image size",
         "Give width and height from 1 to 16384 pixels, e.g. 1920x1080.");
}

std::vector<std::string> lineWords() {
    std::vector<std::string> words;
    for (const LineViewInfo& info : kLineViews) words.push_back(info.word);
    return words;
}

std::vector<std::string> bufferWords() {
    std::vector<std::string> words = {"none"};
    for (const BufferView& view : bufferViews()) words.push_back(view.name);
    return words;
}

template <size_t N>
std::vector<std::string> wordsOf(const char* const (&names)[N]) {
    return {std::begin(names), std::end(names)};
}

// "material, speed, … or body"
std::string colorList() {
    std::string list;
    for (size_t k = 0; k < kQuantities.size(); ++k)
        list += (k == 0                        ? ""
                 : k + 1 == kQuantities.size() ? " or "
                                               : ", ") +
                std::string(kQuantities[k].word);
    return list;
}

}  // namespace

ClipPlane parseClipPlane(const std::string& text) {
    // "x=..0.5" or "x=0.5.."
    const size_t axis = text.empty() ? std::string_view::npos : std::string_view("xyz").find(text[0]);
    std::string number = text.size() > 4 ? text.substr(2) : "";
    const bool upTo = number.starts_with(".."), from = !upTo && number.ends_with("..");
    number = upTo ? number.substr(2) : from ? number.substr(0, number.size() - 2) : "";
    char* end = nullptr;
    const float at = std::strtof(number.c_str(), &end);
    if (axis > 2 || text.size() < 2 || text[1] != '=' || number.empty() || *end || !std::isfinite(at))
        fail(Exit::Usage, "--clip " + text, "not a plane normal to an axis",
             "Give an axis and a position in meters: x=..0.5 shows only what lies at x up to 0.5 m, x=0.5.. "
             "only what "
             "lies from there on.");
    ClipPlane plane;
    plane.normal[int(axis)] = upTo ? 1.0f : -1.0f;
    plane.distance = upTo ? at : -at;
    return plane;
}

int DisplayOptions::width() const {
    return parseResolution(resolution).first;
}
int DisplayOptions::height() const {
    return parseResolution(resolution).second;
}

DrawOptions DisplayOptions::draw() const {
    DrawOptions d;
    d.quality = enumOf<Quality>(renderQualities(), presentQuality(quality));
    d.cloth = enumOf<ClothStyle>(kClothStyles, cloth);
    d.gas = static_cast<GasDrawing>(std::ranges::find(kGasDrawingNames, gas) - std::begin(kGasDrawingNames));
    d.ssaa = ssaa;
    d.grains = grains;
    d.shapes = shapes == "solid" || shapes == "outlined";
    d.wire = shapes == "outlined" || shapes == "wire";
    d.background = static_cast<Background>(std::ranges::find(kBackgroundNames, background) -
                                           std::begin(kBackgroundNames));
    d.ground = static_cast<Ground>(std::ranges::find(kGroundNames, ground) - std::begin(kGroundNames));
    d.sunDirection = sun.size() == 2 ? sunDirection(sun[0], sun[1]) : sunOf(d.background);
    d.environment = environmentMap();
    if (sun.empty() && d.environment && d.environment->sunLight != glm::vec3(0))
        d.sunDirection = d.environment->sunDirection;
    d.exposure = exposure;
    d.label = label;
    d.split = split;
    if (!clip.empty()) d.clipPlane = parseClipPlane(clip);
    if (buffer != "none") d.buffer = buffer;
    if (!range.empty()) {
        if (!(range[0] < range[1]))
            fail(Exit::Usage, fmt::format("--range {},{}", range[0], range[1]),
                 "the first value must be less than the second", "Swap them.");
        d.autoRange = false;
        d.rangeMin = range[0], d.rangeMax = range[1];
    }
    if (color == "surface") return d;
    d.mode = DrawMode::Particles;
    d.colorBy = infoOf(quantity()).map;
    return d;
}

std::shared_ptr<const EnvironmentMap> DisplayOptions::environmentMap() const {
    if (environment.empty()) return nullptr;
    if (std::optional<EnvironmentMap> studio = studioMap(environment))
        return std::make_shared<const EnvironmentMap>(std::move(*studio));
    if (std::filesystem::path(environment).has_extension())
        return std::make_shared<const EnvironmentMap>(readEnvironment(environment));
    std::vector<std::string> names;
    for (const StudioInfo& studio : studios()) names.emplace_back(studio.name);
    const std::string near = nearest(environment, names);
    fail(Exit::Usage, "--environment " + environment, "no such studio",
         (near.empty() ? "" : "Did you mean \"" + near + "\"? ") +
             fmt::format("Give one of {}, or a .hdr or .exr file.", fmt::join(names, ", ")));
}

std::optional<SurfaceOptions> DisplayOptions::surfaceMesh() const {
    if (surface != "mesh") return {};
    return mesh;
}

LineSet DisplayOptions::lineSet() const {
    LineSet set;
    for (const LineViewInfo& info : kLineViews)
        if (std::ranges::find(lines, info.word) != lines.end()) set.set(info.view);
    if (contactLines) set.set(LineView::Contacts);
    if (springLines) set.set(LineView::DistanceConstraints);
    return set;
}

Quantity DisplayOptions::quantity() const {
    for (const QuantityInfo& q : kQuantities)
        if (color == q.word) return q.quantity;
    return Quantity::Material;
}

void DisplayOptions::chooseColor(const std::string& chosen) {
    const std::string word = presentColorWord(chosen);
    const std::vector<std::string> words = colorWords();
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        const std::string near = nearest(word, words);
        fail(Exit::Usage, "poster.color \"" + word + "\"", "unknown quantity",
             near.empty() ? "Choose one of surface, " + colorList() + "." : "Did you mean \"" + near + "\"?");
    }
    color = word;
}

GlChoice DisplayOptions::glChoice() const {
    try {
        return parseGlChoice(gl);
    } catch (const std::invalid_argument& error) {
        throw Error(Exit::Usage, error.what());
    }
}

void addQualityOption(CLI::App& command, std::string& quality, const std::string& about) {
    command
        .add_option("--quality", quality,
                    fmt::format("{}: {}; points shows the particles, final is for recordings: caustics and a "
                                "wider filter of liquids",
                                about, fmt::join(kQualityNames, ", ")))
        ->transform(CLI::Validator(
            [](std::string& word) {
                word = presentQuality(word);
                return std::string();
            },
            ""))
        ->check(oneOf(renderQualities()))
        ->type_name("NAME")
        ->capture_default_str();
}

void addDisplayOptions(CLI::App& command, DisplayOptions& o) {
    command.add_option("--resolution", o.resolution, "Image size in pixels")
        ->type_name("WxH")
        ->capture_default_str();
    addQualityOption(command, o.quality, "Render quality");
    command
        .add_option(
            "--color", o.color,
            "surface: liquid surfaces, meshes, cloth and ropes; else particles colored by " + colorList())
        ->transform(CLI::Validator(
            [](std::string& word) {
                word = presentColorWord(word);
                return std::string();
            },
            ""))
        ->check(oneOf(colorWords()))
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option("--surface", o.surface,
                    "Surface of liquids: from the particles, in the image; or a mesh, with --mesh-cell etc.")
        ->check(oneOf({"particles", "mesh"}))
        ->type_name("KIND")
        ->capture_default_str();
    command
        .add_option(
            "--range", o.range,
            "Color range: lowest and highest value, in the unit of the legend; default: range of each frame")
        ->delimiter(',')
        ->check(number(-1e30, 1e30))
        ->expected(2)
        ->type_name("LOW,HIGH");
    command.add_option("--shapes", o.shapes, "Collision shapes: solid, outlined, wire (edges only) or none")
        ->check(oneOf(kShapeStyles))
        ->type_name("STYLE")
        ->capture_default_str();
    command
        .add_option("--cloth", o.cloth, "Cloth: solid, outlined (with triangle edges) or wire (edges only)")
        ->check(oneOf(kClothStyles))
        ->type_name("STYLE")
        ->capture_default_str();
    command
        .add_option("--grains", o.grains,
                    "Grains drawn per particle of sand and the like: finer sand, the same motion")
        ->check(integer(1, kMostGrains))
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--gas", o.gas,
                    "Gases: hidden, points or smoke; material: each as its material's drawAs says")
        ->check(oneOf(wordsOf(kGasDrawingNames)))
        ->type_name("STYLE")
        ->capture_default_str();
    command
        .add_option("--lines", o.lines,
                    "Debug lines, separated by commas: " + fmt::format("{}", fmt::join(lineWords(), ", ")))
        ->check(oneOf(lineWords()))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("LIST");
    command.add_flag("--contacts", o.contactLines, "Short for --lines contacts");
    command.add_flag("--springs", o.springLines, "Short for --lines springs");
    command
        .add_option("--background", o.background,
                    "Sky and lighting: studio, sky (without ground), plain, sunset, overcast or night")
        ->check(oneOf(wordsOf(kBackgroundNames)))
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option(
            "--ground", o.ground,
            "Ground: checker, plain, grid (a line every 0.25 m) or none; auto: default of the background")
        ->check(oneOf(wordsOf(kGroundNames)))
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option("--sun", o.sun,
                    "Direction of the sun: azimuth from -z towards +x and elevation, in degrees; default: "
                    "that of the background")
        ->delimiter(',')
        ->check(number(-360, 360))
        ->expected(2)
        ->type_name("AZIMUTH,ELEVATION");
    command.add_option("--label", o.label, "Writes this over the image, to tell it from others beside it")
        ->type_name("TEXT");
    command
        .add_option(
            "--environment", o.environment,
            "Light and reflections of a studio (softboxes, strips or window) or of an equirectangular "
            ".hdr or .exr file, in place of those of the background")
        ->type_name("NAME|FILE");
    command.add_option("--exposure", o.exposure, "Exposure")->check(number(0.01, 100))->capture_default_str();
    command
        .add_option("--buffer", o.buffer,
                    "Shows an intermediate buffer to the right of --split: " +
                        fmt::format("{}", fmt::join(bufferWords(), ", ")))
        ->check(oneOf(bufferWords()))
        ->type_name("NAME")
        ->capture_default_str();
    command.add_option("--split", o.split, "Part of the image width left of the --buffer view")
        ->check(number(0, 1))
        ->capture_default_str();
    command
        .add_option(
            "--clip", o.clip,
            "Clip plane, to look inside: x=..0.5 shows only what lies at x up to 0.5 m, x=0.5.. only what "
            "lies from there on")
        ->type_name("AXIS=RANGE");
    command
        .add_option("--camera", o.camera,
                    "Camera of the scene, by name; a recording stays with it instead of following cuts")
        ->type_name("NAME");
    command.add_option("--ssaa", o.ssaa, "Samples per pixel along each axis")
        ->check(integer(1, 2))
        ->capture_default_str();
    command.add_option("--gl", o.gl, "OpenGL context: auto, window, surfaceless, or egl:N")
        ->type_name("CONTEXT")
        ->capture_default_str();
}

}  // namespace coalesce

#include "app/draw_options.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "core/error.h"

namespace coalesce {

namespace {

const std::vector<std::string> kQualities = {"points", "spheres", "ellipsoids",
                                             "record"};  // in the enum's order

const std::vector<std::string> kShapeWays = {"solid", "outlined", "wire", "none"};
const std::vector<std::string> kClothWays = {"solid", "outlined", "wire"};  // in the enum's order

template <class Enum>
Enum enumOf(const std::vector<std::string>& words, const std::string& word) {
    return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

std::vector<std::string> colorWords() {
    std::vector<std::string> words = {"surface"};
    for (const QuantityInfo& q : kQuantities) words.push_back(q.word);
    return words;
}

// {1280, 720} from "1280x720"
std::pair<int, int> parseResolution(const std::string& text) {
    int width = 0, height = 0;
    const char *begin = text.data(), *end = begin + text.size();
    const auto first = std::from_chars(begin, end, width);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == 'x') {
        const auto second = std::from_chars(first.ptr + 1, end, height);
        if (second.ec == std::errc() && second.ptr == end && width >= 1 && height >= 1 && width <= 16384 &&
            height <= 16384)
            return {width, height};
    }
    fail(Exit::Usage, "--resolution " + text, "no such size of a picture",
         "Give width and height from 1 to 16384 pixels, e.g. 1920x1080.");
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

int LookOptions::width() const {
    return parseResolution(resolution).first;
}
int LookOptions::height() const {
    return parseResolution(resolution).second;
}

DrawOptions LookOptions::draw() const {
    DrawOptions d;
    d.quality = enumOf<Quality>(kQualities, quality);
    d.cloth = enumOf<ClothWay>(kClothWays, cloth);
    d.ssaa = ssaa;
    d.shapes = shapes == "solid" || shapes == "outlined";
    d.wire = shapes == "outlined" || shapes == "wire";
    if (color == "surface") return d;
    d.mode = DrawMode::Particles;
    switch (quantity()) {
        case Quantity::Material:
            d.colorBy = ColorBy::Phase;
            break;
        case Quantity::Speed:
            d.colorBy = ColorBy::Speed;
            break;
        case Quantity::DensityError:
        case Quantity::Strain:
            d.colorBy = ColorBy::Diverging;
            break;
        case Quantity::Neighbors:
        case Quantity::Id:
        case Quantity::Contacts:
        case Quantity::Distance:
        case Quantity::Height:
        case Quantity::Sleeping:
        case Quantity::Body:
        case Quantity::Channel:
            d.colorBy = ColorBy::Scalar;
            break;
    }
    return d;
}

Quantity LookOptions::quantity() const {
    for (const QuantityInfo& q : kQuantities)
        if (color == q.word) return q.quantity;
    return Quantity::Material;
}

void LookOptions::chooseColor(const std::string& word) {
    const std::vector<std::string> words = colorWords();
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        const std::string near = nearest(word, words);
        fail(Exit::Usage, "poster.color \"" + word + "\"", "particles cannot be colored by that",
             near.empty() ? "Possible are surface, " + colorList() + "."
                          : "Did you mean \"" + near + "\"?");
    }
    color = word;
}

GlChoice LookOptions::glChoice() const {
    try {
        return parseGlChoice(gl);
    } catch (const std::invalid_argument& error) {
        throw Error(Exit::Usage, error.what());
    }
}

void addLookOptions(CLI::App& command, LookOptions& o) {
    command.add_option("--resolution", o.resolution, "Size of the picture in pixels")
        ->type_name("WxH")
        ->capture_default_str();
    command.add_option("--quality", o.quality, "points, spheres, ellipsoids or record")
        ->check(CLI::IsMember(kQualities))
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option(
            "--color", o.color,
            "surface: liquids as water, bodies as meshes, cloth and ropes; else particles by " + colorList())
        ->check(CLI::IsMember(colorWords()))
        ->type_name("NAME")
        ->capture_default_str();
    command.add_option("--shapes", o.shapes, "Collision shapes: solid, outlined, wire (edges alone) or none")
        ->check(CLI::IsMember(kShapeWays))
        ->type_name("WAY")
        ->capture_default_str();
    command
        .add_option("--cloth", o.cloth, "Cloth: solid, outlined (with its triangles) or wire (edges alone)")
        ->check(CLI::IsMember(kClothWays))
        ->type_name("WAY")
        ->capture_default_str();
    command.add_flag("--contacts", o.contactLines, "Draws lines at the contacts of particles and shapes");
    command.add_flag("--springs", o.springLines,
                     "Draws lines along the springs of cloth and ropes, by strain");
    command.add_option("--camera", o.camera, "Camera of the scene, by name")->type_name("NAME");
    command.add_option("--ssaa", o.ssaa, "Samples per pixel along each axis")
        ->check(CLI::Range(1, 2))
        ->capture_default_str();
    command.add_option("--gl", o.gl, "auto, window, surfaceless, or egl:N")
        ->type_name("WAY")
        ->capture_default_str();
}

}  // namespace coalesce

// A scene as described by its file: plain data, no particles yet. One file is demo, benchmark and test at
// once.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "geometry/shapes/solid_spec.h"
#include "sim/world/commands.h"
#include "sim/world/parameters.h"
#include "sim/world/shapes.h"
#include "sim/world/world.h"

namespace coalesce {

// Copies of a body, on a lattice about its center or along a curve; each is a separate body.
struct Copies {
    Vec3 count{1, 1, 1};      // along x, y, z; integers
    Vec3 step{};              // [m] between neighbors
    std::vector<Vec3> along;  // [m] relative to center: instead of `step`, evenly spaced on this curve
    float jitter = 0;         // random displacement up to this share of the step, seeded by Scene::seed
    float turn = 0;           // [deg] random rotation up to this angle; 180: uniform over all orientations
};

// Particles of a body that are pinned, or attached to a shape, until the timeline releases the body.
struct Attachment {
    std::optional<Vec3> point;  // [m] the particle that starts nearest to this point
    Box box;                    // [m] otherwise: all particles that start in this box
    std::string shape;          // attached to this shape; empty: pinned
};

// Named values: one number, or three of a vector.
using NamedNumbers = std::map<std::string, std::vector<double>>;

// The values of a body change linearly along a world axis, from its own at the lowest particle to these at
// the highest.
struct Gradient {
    std::string axis;  // "x", "y" or "z"; y when empty
    NamedNumbers values;
};

// A body of particles of one material: liquid, grains, solid, cloth or rope.
struct Body {
    enum class Kind { Block, Sphere, Points, Solid, Grid, Rope };
    std::string name;
    Kind kind = Kind::Block;
    uint32_t material = 0;     // index into Scene::materials
    Vec3 center{};             // [m]
    Quat rotation{};           // world from body
    Vec3 size{};               // [m] block: full edge lengths; grid: of the cloth along x and z
    float radius = 0;          // [m] sphere
    std::vector<Vec3> points;  // [m] points: the particles themselves; rope: points on its curve
    SolidSpec solid;           // a shape by name, or a mesh file relative to the folder of the scene
    bool surface = false;      // solid: particles on its surface only
    float spacing = 0;         // [m] of the particles at the start; 0: that of the material
    Vec3 velocity{};           // [m/s] at the start
    Vec3
        angularVelocity{};  // [rad/s], deg/s in the file; solid: about the center of mass, loose: about `center`
    float jitter = 0;  // random displacement of start positions up to this share of d, seeded by Scene::seed
    Vec3 deform{1, 1, 1};  // scales start positions about the center, but not the rest shape
    uint32_t collisionMask = kAllCollisionBits;  // collides with shapes that share a bit
    double at = 0;                               // [s] when it is added
    bool pinned = false;                         // does not move until the timeline releases it
    std::optional<Box> pin;                      // [m] pins only particles that start in this box
    std::vector<Attachment> attach;              // further pinned or attached particles
    bool selfCollide = false;                    // solid: its particles collide with each other
    NamedNumbers values;                         // of attributes; others have their default
    Gradient gradient;
    Copies copies;
};

// A spring between two particles of solid bodies, cloth or ropes.
struct Joint {
    struct End {
        std::string body;
        Vec3 at{};  // [m] the particle that starts nearest to this point
    };
    std::string name;
    End from, to;
    std::string material;          // cloth or rope that defines its stretch; empty: the material of the ends
    std::optional<double> length;  // [m] at rest; empty: the distance at the start
};

// Markers of smoke or dye that are in the world at the start, evenly in a form.
struct MarkerRegion {
    std::string name;
    uint32_t material = 0;  // whose life and look they have, and whose particles carry them
    int count = 1000;
    Shape form;  // box, sphere or capsule
};

// Moves a shape over one frame, as a kinematic collider. Afterwards it stays there, or continues its own motion.
struct PlaceShape {
    std::string shape;  // its name
    Vec3 position{};    // [m]
    Quat rotation{};    // world from shape
};

// A command of the timeline: a value that changes linearly, oscillates or changes at once, the release of a
// pinned body, a mouse constraint, a tool of the window, a cut to a camera. Exactly one of set, release,
// grab, drag, letGo, cut, throw, pour, gust, brush, place, preset, camera and marker is given.
struct TimedCommand {
    double at = 0, until = 0;         // [s]; until <= at: at once, or an endless oscillation
    Clock clock = Clock::simulation;  // of `at`, `until` and `every`
    double every = 0;                 // [s] period of repetition, until `until` or without end; 0: once
    int everyFrames = 0;              // the same in frames of film
    std::string set;                  // dotted path of the value: timeline.h
    std::vector<double> from, to;     // one number, or three of a vector
    std::string word;                 // instead of `to`: of a choice
    std::vector<double> swing;        // amplitude about `to`, as many numbers
    double period = 1;                // [s] of the oscillation
    std::string release;              // name of a pinned body
    std::string grab;                 // name of the body that is grabbed
    int index = -1;                   // grab: at this particle of the body, or
    std::optional<Vec3> point;        // [m] at the particle nearest to this point
    std::optional<Vec3> target;       // [m] grab: where it pulls the particle; where that is, if omitted
    std::optional<Vec3> drag;         // [m] moves the mouse constraint here, evenly until `until`
    bool letGo = false;               // releases the grabbed body
    std::vector<Vec3> cut;            // [m] three corners of a triangle: cuts the springs that cross it
    int constraint = 0;               // index of the mouse constraint
    std::optional<Throw> ball;        // throws a ball
    std::optional<Pour> pour;         // pours, in every frame until `until`
    std::optional<Gust> gust;         // blows, in every frame until `until`
    std::optional<Brush> brush;       // one stroke
    std::optional<PlaceShape> place;  // moves a shape over one frame
    std::string preset;               // file, relative to the folder of the scene: sets its values
    std::string camera;               // name of the camera that the film cuts to
    double blend = 0;                 // [s] of the move to that camera; 0: a cut
    std::string marker;               // a note for the dope sheet
};

// A value at a time, and how it is reached from the key before.
struct TrackKey {
    double t = 0;               // [s]
    std::vector<double> value;  // one number, or three of a vector
    std::string word;           // instead: of a choice
    Ease ease = Ease::linear;
};

// A value as a function of time: keys, or expressions.
struct Track {
    std::string set;  // dotted path of the value: timeline.h
    Clock clock = Clock::simulation;
    std::vector<TrackKey> keys;     // by time
    std::vector<std::string> expr;  // one, or three of a vector: expression.h
    int line = 0;                   // in the file
};

// A view at a time of the film.
struct CameraKey {
    double t = 0;                              // [s] of film
    Vec3 eye{}, look{};                        // [m]
    std::optional<double> fov;                 // vertical [deg]; empty: that of the camera
    std::optional<double> orthographicHeight;  // [m]; empty: that of the camera
    std::optional<double> roll;                // [deg]; empty: that of the camera
    Ease ease = Ease::spline;                  // course from the key before; spline: the speed is continuous
    bool cut = false;                          // a new path starts here
};

// A camera, which stands or moves. Its pose: camera_path.h.
struct CameraView {
    std::string name;
    Vec3 eye{2, 1.5f, 3}, look{0, 0.5f, 0};  // [m]
    float fov = 45;                          // vertical [deg]
    float orthographicHeight = 0;            // [m] of an orthographic image; 0: perspective
    float roll = 0;                          // [deg] about the line of sight, positive to the right
    std::string target;                      // looks at the center of this group or shape instead of `look`
    std::string follow;                      // eye and look are relative to the center of this group or shape
    float orbit = 0;                         // [deg/s] of film: the eye circles about the look point
    CameraSpline spline = CameraSpline::catmullRom;
    bool constantSpeed = false;   // of the eye on each path, instead of the times of keys between
    std::vector<CameraKey> keys;  // by time; replace eye and look
    bool moves() const { return !keys.empty() || orbit != 0 || !target.empty() || !follow.empty(); }
};

// A part of the film that is recorded by itself: record --shot.
struct Shot {
    std::string name;
    double from = 0, to = 0;     // [s] of film
    std::string camera;          // empty: the cameras of the film, with their cuts
    std::string size, caseName;  // empty: as given on the command line
    std::string preset;          // file, relative to the folder of the scene
    std::string resolution;      // "1280x720"
    std::optional<double> fps;   // images per second of film; empty: one per frame
    std::string quality;         // as for --quality
    std::string output;          // video (.mp4, .mov), or a folder for images; relative to the working folder
};

// The preview image of a scene.
struct Poster {
    std::optional<double> time;      // [s]; empty: two thirds of the duration
    std::string size, caseName;      // empty: as without --size and --case
    std::string camera;              // name of a camera of the scene; empty: the first
    std::optional<CameraView> view;  // instead of a camera
    double fill = 0;                 // share of the image that particles fill; 0: the camera stays
    std::string color;               // as for --color; empty: default
};

// One entry of `expect`: a named check and its numbers. What each check measures: docs/scenes.md.
struct Check {
    std::string name;     // key in the file: "level", or a label with "check": "level"
    std::string kind;     // "level"
    std::string group;    // body name, material name, or "" for all particles
    bool always = false;  // worst value of the run instead of one time
    double at = -1;       // [s]; negative: at the end
    std::optional<double> min, max;
    std::map<std::string, double> numbers;                  // numeric options (tolerance, expected, …)
    std::map<std::string, std::string> words;               // text options (relation, axis, …)
    std::map<std::string, std::vector<std::string>> lists;  // lists of texts (cases, …)
    std::map<std::string, Vec3> points;                     // points (corners of a region, …)
    double from = -1, to = -1;  // [s] a time window instead of one time; negative: none
    int line = 0;               // in the file
};

struct Scene {
    std::filesystem::path file;
    std::filesystem::path film;  // see SceneChoice; empty: none
    std::string name;            // file name without folder and extension
    std::string about, tier, source;
    std::vector<std::string> tags;
    std::string size, caseName;             // that were read; "" = without overrides
    std::vector<std::string> sizes, cases;  // available ones, in file order
    std::vector<std::string> control;       // checks that the selected case must fail
    double duration = 5;                    // [s] a full run
    uint64_t seed = 1;
    Parameters parameters;
    std::vector<Material> materials;
    std::vector<AttributeInfo> attributes;
    std::string colorBy;  // the attribute that colors particles; empty: the first
    std::vector<Body> bodies;
    std::vector<Shape> shapes;
    std::vector<Joint> springs;
    std::vector<ForceField> forceFields;
    std::vector<Body> prefabs;  // copied by emitters
    std::vector<Emitter> emitters;
    std::vector<Sink> sinks;
    std::vector<MarkerRegion> markers;
    std::vector<TimedCommand> timeline;
    std::vector<Track> tracks;
    std::vector<CameraView> cameras;  // at least one
    std::vector<Shot> shots;
    Poster poster;
    Vec3 boundsMin{}, boundsMax{};  // [m] no particle may leave (check `inside`)
    bool bounded = false;
    std::vector<Check> expect;
    std::vector<std::string> notes;  // for the user: a mesh that is missing, a key that was renamed
    std::string text;                // the resolved JSON, for recordings and hashes
};

struct SceneChoice {
    std::string size;  // "": demo where the scene has it
    std::string caseName;
    std::vector<std::string>
        sets;  // "solver.substeps=4", "materials.water.spacing=0.02", "shapes.gate.position=[0,1,0]"
    std::optional<uint64_t> seed;
    std::filesystem::path film = {};  // cameras, tracks, timeline and shots from this file: film_file.h
};

// All errors of a scene file, by line; the message has one paragraph for each. Exit::Scene.
struct SceneError : Error {
    struct Entry {
        int line;  // in the file; 0: of --size, --case or --set
        std::string text;
    };
    std::vector<Entry> entries;
    explicit SceneError(std::vector<Entry> diagnostics);
};

}  // namespace coalesce

// Data shared by all passes: the view (camera, or sun for the light maps) and the scene's lighting. SI units.
// World: Y up. Eye space looks along -Z. Same layout as ViewBlock in src/render/renderer/renderer_state.h.
layout(std140, binding = 0) uniform View {
    mat4 view;
    mat4 projection;
    mat4 viewInverse;
    mat4 projectionInverse;
    mat4 viewProjection;
    mat4 light;        // light clip space from world
    vec4 size;         // [px] width, height; 1/width, 1/height
    vec4 clip;         // near [m], far [m], projection[1][1], projection[0][0]
    vec4 eye;          // [m] xyz; w: radius of the sun's disc / its distance, over which shadows are blurred
    vec4 sun;          // unit vector to the sun; w: 1 with shadows
    vec4 lightRange;   // depth range of the light volume [m], half extent [m], size of a shadow texel [m]; w: sum of 1 with glass, 2 with smoke, 4 with caustics
    vec4 ground;       // height of the ground [m]; y: 1 with ground; z: background; w: pattern (0 checker 1 plain 2 grid)
    vec4 lampLight;    // of an environment map: irradiance / pi facing its strongest lamp; w: number of its levels, 0: no map
    vec4 surround;     // height of the map [texels]; y: 1 where it is seen behind the scene; z: distance of the scene [m], w: how much farther back the eye of an orthographic view stands [m]
    vec4 harmonics[9];  // of it: irradiance / pi by the normal
    vec4 clipPlane;    // unit normal n and distance w [m]: what lies at n p > w is hidden; n = 0, w = 1: nothing
};

struct Material {
    vec4 color;       // linear RGB; w: draw radius r = 0.85 d [m]
    vec4 absorption;  // sigma [1/m]; w: rest spacing d [m]
    vec4 scatter;     // linear RGB of deep liquid; w: turbidity [1/m]
    vec4 optics;      // refractive index, surface roughness, dye strength [1/m], kernel radius h [m]
    vec4 foam;        // linear RGB of spray, foam and bubbles; w: their radius [m]
    vec4 smoke;       // linear RGB of smoke and dye; w: opacity of a new marker
    vec4 smokeShape;  // radius of a new marker [m], its growth [m/s], radius of a gas particle [m], -
    ivec4 kind;       // x: pass bit (liquids from 0, then grains and solids, then gases); y: one of those below
};
const int kFluid = 0, kGrains = 1, kSolid = 2, kGas = 3;  // DrawMaterial::Kind
const float kLargestDroplet = 0.72;  // [draw radii] radius of the largest isolated droplet
const int kLiquids = 8;    // as in src/render/renderer/renderer_state.h
const int kSmokeBit = 9;   // gases drawn as sprites
const uint kWithin = 8u;   // number of particles near the eye from which on it counts as inside
layout(std430, binding = 1) readonly buffer Materials { Material materials[]; };

// [m] Positive: shown; negative: hidden by the clip plane.
float clipDistance(vec3 p) { return clipPlane.w - dot(clipPlane.xyz, p); }

bool isOrthographic() { return projection[3][3] == 1.0; }

// The divisor of perspective at an eye-space z.
float perspective(float eyeZ) { return isOrthographic() ? 1.0 : -eyeZ; }

// Unit vector from a point to the viewer, in eye space and in world space.
vec3 toViewer(vec3 p) { return isOrthographic() ? vec3(0.0, 0.0, 1.0) : -normalize(p); }
vec3 toViewerInWorld(vec3 p) { return isOrthographic() ? viewInverse[2].xyz : normalize(eye.xyz - p); }

// Window depth of an eye-space z.
float windowDepth(float eyeZ) {
    float z = projection[2][2] * eyeZ + projection[3][2];
    float w = projection[2][3] * eyeZ + projection[3][3];
    return 0.5 * z / w + 0.5;
}

// Eye-space z of a window depth.
float eyeFromDepth(float depth) {
    float n = 2.0 * depth - 1.0;
    return (n * projection[3][3] - projection[3][2]) / (projection[2][2] - n * projection[2][3]);
}

// Ray through a point of the image (NDC), in eye space; the parameter t gives eye z = origin.z - t.
void eyeRay(vec2 ndc, out vec3 origin, out vec3 direction) {
    // (the offsets of an orthographic projection, and of one whose axis is off the center of the image)
    vec2 slope = (ndc - projection[3].xy + projection[2].xy) / vec2(projection[0][0], projection[1][1]);
    if (isOrthographic()) {
        origin = vec3(slope, 0.0);
        direction = vec3(0.0, 0.0, -1.0);
    } else {
        origin = vec3(0.0);
        direction = vec3(slope, -1.0);
    }
}

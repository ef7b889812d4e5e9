// Pass 2: irradiance that lands, relative to that without refraction;
// triangles add up where the surface focuses light.
flat in float gain;
layout(location = 0) out float irradiance;

void main() { irradiance = gain; }

uniform vec4 lineColor;  // linear RGB, alpha
layout(location = 0) out vec4 color;

void main() { color = lineColor; }

// Pass 10: depth of the faces of a glass mesh towards the viewer.
void main() {}

// Rotation by a unit quaternion x y z w.
vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec3 unrotate(vec4 q, vec3 v) { return rotate(vec4(-q.xyz, q.w), v); }

"""tools/from-usd against stages that this test writes: a box that slides and turns, one that changes its faces, one that
a skeleton bends, and one at rest.

    check_from_usd.py [PROGRAM]        with the program, a scene of the files is validated, too

Exit: 0 fine, 1 not, 77 usd-core is missing.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools/from-usd"
BOX = [(x, y, z) for z in (0, 4) for y in (0, 100) for x in (0, 200)]  # [cm], z up
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def run(*arguments):
    done = subprocess.run([sys.executable, str(TOOL), *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def read_obj(file):
    vertices, faces = [], []
    for line in file.read_text().splitlines():
        kind, *values = line.split()
        if kind == "v":
            vertices.append(tuple(float(v) for v in values))
        else:
            faces.append(tuple(int(v) - 1 for v in values))
    return vertices, faces


def volume(vertices, faces):
    """Signed; positive when faces are counterclockwise from outside."""
    total = 0
    for first, *rest in faces:
        for second, third in zip(rest, rest[1:]):
            (a, b, c), (d, e, f), (g, h, i) = vertices[first], vertices[second], vertices[third]
            total += (a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)) / 6
    return total


def new_stage(file, Usd, UsdGeom, end):
    stage = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    stage.SetTimeCodesPerSecond(30)
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(end)
    return stage


def new_box(stage, path, UsdGeom):
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(BOX)
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    mesh.CreateFaceVertexIndicesAttr([i for quad in QUADS for i in quad])
    return mesh


def main():
    try:
        from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt
    except ImportError:
        print("check_from_usd: skipped: usd-core is not installed")
        return 77
    wrong = []

    def expect(holds, what):
        if not holds:
            wrong.append(what)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # slides by 10 cm per frame below a parent that turns by a quarter at frame 3; a hidden mesh is left out
        stage = new_stage(folder / "slides.usda", Usd, UsdGeom, 3)
        parent = UsdGeom.Xform.Define(stage, "/World")
        turn = parent.AddRotateZOp()
        turn.Set(0, 1), turn.Set(0, 2), turn.Set(90, 3)
        box = new_box(stage, "/World/Box", UsdGeom)
        slide = box.AddTranslateOp()
        for frame in (1, 2, 3):
            slide.Set(Gf.Vec3d(10 * frame, 0, 0), frame)
        new_box(stage, "/World/Hidden", UsdGeom).MakeInvisible()
        stage.Save()
        code, said = run(folder / "slides.usda", folder / "box")
        expect(code == 0 and "3 files, up axis z, 0.01 m per unit, 30 frames per second" in said, said)
        for frame in (1, 2, 3):
            vertices, faces = read_obj(folder / f"box_{frame:04}.obj")
            moved = [(x + 10 * frame, y, z) for x, y, z in BOX]
            if frame == 3:
                moved = [(-y, x, z) for x, y, z in moved]
            far = max(abs(a - b) for v, w in zip(vertices, moved) for a, b in zip(v, w))
            expect(len(vertices) == 8 and far < 1e-4, f"frame {frame} is {far} away")
            expect(abs(volume(vertices, faces) - 200 * 100 * 4) < 1, f"volume of frame {frame}")
        if len(sys.argv) > 1:
            shape = json.loads("{" + said.splitlines()[-1] + "}")
            made = {"about": "A box from a stage.", "materials": {"water": {"spacing": 0.05}}, "duration": 0.1,
                    "bodies": [{"material": "water", "points": [[0, 2, 0]]}], "shapes": [{"name": "box", **shape}]}
            (folder / "scene.json").write_text(json.dumps(made))
            done = subprocess.run([sys.argv[1], "validate", str(folder / "scene.json")], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            expect(done.returncode == 0 and "3 frames of 12 triangles" in done.stdout and
                   "the first 2 x 0.04 x 1 m, closed" in done.stdout, done.stdout)
        code, said = run(folder / "slides.usda", folder / "part", "--frames", "2:3")
        expect(code == 0 and "2 files" in said, said)
        expect(sorted(file.name for file in folder.glob("part_*")) == ["part_0002.obj", "part_0003.obj"], "--frames 2:3")
        # without a range of time codes, that of the points: one
        stage = Usd.Stage.CreateNew(str(folder / "once.usda"))
        new_box(stage, "/Box", UsdGeom).GetPointsAttr().Set(BOX, 5)
        stage.Save()
        code, said = run(folder / "once.usda", folder / "once")
        expect(code == 0 and "1 file," in said and (folder / "once.obj").exists(), said)
        # faces the other way around, and a mirror
        stage = new_stage(folder / "turned.usda", Usd, UsdGeom, 1)
        left = new_box(stage, "/Left", UsdGeom)
        left.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
        mirrored = new_box(stage, "/Mirrored", UsdGeom)
        mirrored.AddScaleOp().Set(Gf.Vec3f(-1, 1, 1))
        stage.Save()
        for prim, sign in {"/Left": -1, "/Mirrored": 1}.items():
            code, said = run(folder / "turned.usda", folder / "turned", "--prim", prim)
            expect(code == 0 and "1 file," in said, said)
            expect(abs(volume(*read_obj(folder / "turned.obj")) - sign * 80000) < 1, f"faces of {prim}")
        # one bone that lifts all points by 5 cm in the second frame
        stage = new_stage(folder / "bends.usda", Usd, UsdGeom, 2)
        UsdSkel.Root.Define(stage, "/Root")
        skinned = new_box(stage, "/Root/Box", UsdGeom)
        skeleton = UsdSkel.Skeleton.Define(stage, "/Root/Skeleton")
        skeleton.CreateJointsAttr(["bone"])
        skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray([Gf.Matrix4d(1)]))
        skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([Gf.Matrix4d(1)]))
        motion = UsdSkel.Animation.Define(stage, "/Root/Motion")
        motion.CreateJointsAttr(["bone"])
        motion.CreateRotationsAttr([Gf.Quatf(1)])
        motion.CreateScalesAttr([Gf.Vec3h(1)])
        lift = motion.CreateTranslationsAttr()
        lift.Set([Gf.Vec3f(0, 0, 0)], 1), lift.Set([Gf.Vec3f(0, 0, 5)], 2)
        binding = UsdSkel.BindingAPI.Apply(skinned.GetPrim())
        binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
        binding.CreateJointIndicesPrimvar(False, 1).Set([0] * 8)
        binding.CreateJointWeightsPrimvar(False, 1).Set([1.0] * 8)
        UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
        stage.Save()
        before = (folder / "bends.usda").read_text()
        code, said = run(folder / "bends.usda", folder / "bends")
        expect(code == 0 and "2 files" in said, said)
        if code == 0:
            vertices, _ = read_obj(folder / "bends_0002.obj")
            expect(max(abs(a - b) for v, w in zip(vertices, BOX)
                       for a, b in zip(v, (w[0], w[1], w[2] + 5))) < 1e-4, f"skinning: {vertices}")
        expect((folder / "bends.usda").read_text() == before, "the stage was changed")
        # what no animation can follow, and what is no mesh
        stage = new_stage(folder / "grows.usda", Usd, UsdGeom, 2)
        grows = new_box(stage, "/Box", UsdGeom)
        grows.GetPointsAttr().Set(BOX, 1)
        grows.GetPointsAttr().Set(BOX + [(0, 0, 9)], 2)
        stage.Save()
        code, said = run(folder / "grows.usda", folder / "grows")
        expect(code == 1 and "its faces change at time code 2" in said, said)
        code, said = run(folder / "grows.usda", folder / "grows", "--prim", "/Bx")
        expect(code == 1 and "Its meshes: /Box" in said, said)
        stage = new_stage(folder / "empty.usda", Usd, UsdGeom, 2)
        stage.Save()
        code, said = run(folder / "empty.usda", folder / "empty")
        expect(code == 1 and "no visible mesh" in said, said)
        (folder / "broken.usda").write_text("no stage")
        code, said = run(folder / "broken.usda", folder / "broken")
        expect(code == 1 and "cannot be read" in said, said)
    print("\n".join(wrong) or "from-usd: as the stages say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

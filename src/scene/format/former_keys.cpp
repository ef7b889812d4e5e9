#include "scene/format/former_keys.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "scene/format/read_fields.h"
#include "scene/format/scene_fields.h"

namespace coalesce {

namespace {

// The keys of an object, by their current names.
struct KeyTree {
    std::map<std::string, std::string> currentNames = {};  // by former name
    std::map<std::string, KeyTree> keys = {};
    std::shared_ptr<KeyTree> elements = nullptr;  // of a list or table: the keys of each element
    bool isOverrides = false;                     // sets of path → value
    bool isPath = false;                          // a text: the path of a value
};

// A visitor of scene_fields.h that collects the tree.
class CollectKeys {
public:
    static constexpr bool kReading = false, kSchema = true;
    KeyTree tree;

    void report(const char*, const std::string&, const std::string&) {}
    void unknownCheck(const std::string&) {}

    template <class T>
    bool value(T&, const KeySpec& spec, bool = true) {
        return add(spec);
    }
    template <class Enum>
    bool choice(Enum&, const KeySpec& spec) {
        return add(spec);
    }
    bool rotation(Quat&, const KeySpec& spec, bool = true) { return add(spec); }
    bool degrees(Vec3&, const KeySpec& spec) { return add(spec); }
    bool points(std::vector<Vec3>&, const KeySpec& spec, bool) { return add(spec); }
    bool numbers(std::vector<double>&, const KeySpec& spec) { return add(spec); }
    bool collisionMask(uint32_t&, const KeySpec& spec) { return add(spec); }
    bool namedNumbers(NamedNumbers&, const KeySpec& spec) { return add(spec); }
    template <class Body>
    bool object(const KeySpec& spec, bool, Body&& body) {
        CollectKeys inner;
        body(inner);
        return add(spec, std::move(inner.tree));
    }
    template <class T, class Body>
    bool list(const KeySpec& spec, std::vector<T>&, Body&& body) {
        CollectKeys inner;
        T element;
        body(inner, element);
        return add(spec, {.elements = std::make_shared<KeyTree>(std::move(inner.tree))});
    }
    template <class T, class Body>
    bool table(const KeySpec& spec, std::vector<T>& elements, Body&& body) {
        if constexpr (std::is_same_v<T, Check>) {
            // a check may have the options of any kind
            CollectKeys inner;
            for (const CheckKind& kind : checkKinds()) {
                Check check;
                check.kind = check.name = kind.name;
                body(inner, check);
            }
            return add(spec, {.elements = std::make_shared<KeyTree>(std::move(inner.tree))});
        } else {
            return list(spec, elements, body);
        }
    }
    template <class T>
    void reference(uint32_t&, const std::vector<T>&, const KeySpec& spec) {
        add(spec);
    }
    template <class Map>
    void number(Map&, const KeySpec& spec) {
        add(spec);
    }
    template <class Map>
    void word(Map&, const KeySpec& spec, const std::vector<const char*>&) {
        add(spec);
    }
    template <class Map>
    void words(Map&, const KeySpec& spec) {
        add(spec);
    }
    template <class Map>
    void point(Map&, const KeySpec& spec) {
        add(spec);
    }
    void overrides(const KeySpec& spec, const std::vector<std::string>&, const std::string&,
                   const std::vector<std::string>*) {
        add(spec, {.isOverrides = true});
    }

private:
    bool add(const KeySpec& spec, KeyTree inner = {}) {
        inner.isPath = spec.isPath;
        tree.keys[spec.name] = std::move(inner);
        for (const char* former : spec.formerNames) tree.currentNames[former] = spec.name;
        return false;
    }
};

const KeyTree& sceneKeys() {
    static const KeyTree tree = [] {
        Scene scene;
        CollectKeys collect;
        visitScene(collect, scene);
        return std::move(collect.tree);
    }();
    return tree;
}

class Renamer {
public:
    explicit Renamer(std::vector<std::string>& notes) : m_notes(notes) {}

    // where: path of the object without names of elements, "bodies" or "bodies.gradient"
    void renameIn(Node& node, const KeyTree& tree, const std::string& where) {
        if (tree.elements) {
            for (Node& element : node.children) renameIn(element, *tree.elements, where);
        } else if (tree.isOverrides) {
            for (Node& set : node.children)
                for (Node& entry : set.children) renameOverride(entry.key, entry);
        } else if (tree.isPath && node.isText()) {
            Node none;
            renameOverride(node.text, none);
        } else if (node.isObject()) {
            for (Node& child : node.children) {
                if (const auto renamed = tree.currentNames.find(child.key);
                    renamed != tree.currentNames.end() && !node.find(renamed->second)) {
                    addNote(join(where, child.key), join(where, renamed->second));
                    child.key = renamed->second;
                }
                if (const auto known = tree.keys.find(child.key); known != tree.keys.end())
                    renameIn(child, known->second, join(where, child.key));
            }
        }
    }

    // A dotted path from the root, and the value that it is set to.
    void renameOverride(std::string& path, Node& value) {
        const KeyTree* tree = &sceneKeys();
        std::string renamed, where;
        bool isElement = false;  // the next name is one of an element
        for (size_t begin = 0, end; tree && begin <= path.size(); begin = end + 1) {
            end = std::min(path.find('.', begin), path.size());
            std::string name = path.substr(begin, end - begin);
            if (tree->isOverrides) {
                if (end == path.size())
                    for (Node& entry : value.children) renameOverride(entry.key, entry);
                tree = nullptr;
            } else if (isElement) {
                tree = tree->elements.get();
                isElement = false;
            } else {
                // "bodies[0]" is a key and an element
                const size_t bracket = std::min(name.find('['), name.size());
                std::string key = name.substr(0, bracket);
                if (const auto now = tree->currentNames.find(key); now != tree->currentNames.end()) {
                    addNote(join(where, key), join(where, now->second));
                    key = now->second;
                }
                name = key + name.substr(bracket);
                where = join(where, key);
                const auto known = tree->keys.find(key);
                tree = known == tree->keys.end() ? nullptr : &known->second;
                isElement = tree && tree->elements;
                if (isElement && bracket < name.size() && name.ends_with(']')) {
                    tree = tree->elements.get();
                    isElement = false;
                }
            }
            renamed += (renamed.empty() ? "" : ".") + name;
            if (!tree) renamed += path.substr(end);
        }
        path = renamed;
        if (tree) renameIn(value, *tree, where);
    }

    // Kinds of checks are values, except where they are the key of a check.
    void renameChecks(Node& expect) {
        for (Node& check : expect.children) {
            if (!check.isObject()) continue;
            std::string kind = check.key;
            Node* written = check.find("check");
            if (written && written->isText()) kind = written->text;
            const bool renamed = renameKind(kind);
            // in other kinds, `measure` is the name of a check of the file
            if (Node* measure = check.find("measure"); kind == "order" && measure && measure->isText())
                renameKind(measure->text);
            if (!renamed) continue;
            if (written) {
                written->text = kind;
                continue;
            }
            Node node;
            node.type = Node::Type::Text;
            node.key = "check";
            node.text = kind;
            node.line = check.line;
            node.origin = check.origin;
            check.children.push_back(std::move(node));
        }
    }

private:
    static std::string join(const std::string& where, const std::string& key) {
        return where.empty() ? key : where + "." + key;
    }
    bool renameKind(std::string& name) {
        const CheckKind* kind = findCheckKind(name);
        if (!kind || name == kind->name) return false;
        addNote("check " + name, kind->name);
        name = kind->name;
        return true;
    }
    void addNote(const std::string& former, const std::string& current) {
        std::string note = fmt::format("\"{}\" is now called \"{}\"; the former name still works.",
                                       printable(former), current);
        if (std::find(m_notes.begin(), m_notes.end(), note) == m_notes.end())
            m_notes.push_back(std::move(note));
    }

    std::vector<std::string>& m_notes;
};

}  // namespace

void renameFormerKeys(Node& root, std::vector<std::string>& notes) {
    Renamer renamer(notes);
    renamer.renameIn(root, sceneKeys(), "");
    if (Node* expect = root.find("expect")) renamer.renameChecks(*expect);
}

void renameFormerKeys(std::string& path, Node& value) {
    std::vector<std::string> notes;
    Renamer(notes).renameOverride(path, value);
}

std::string currentCase(const Node& root, const std::string& name) {
    const Node* cases = root.find("cases");
    if (name.empty() || !cases || !cases->isObject() || cases->find(name)) return name;
    for (const Node& set : cases->children)
        if (const Node* former = set.isObject() ? set.find("formerly") : nullptr)
            for (const Node& one : former->children)
                if (one.isText() && one.text == name) return set.key;
    return name;
}

std::string currentCase(const std::filesystem::path& file, const std::string& name) {
    Node root;
    std::vector<Diagnostic> diagnostics;
    if (!parseJson(fileText(file, ""), root, diagnostics)) return name;
    return currentCase(root, name);
}

std::string currentPath(std::string path) {
    Node none;
    renameFormerKeys(path, none);
    return path;
}

}  // namespace coalesce

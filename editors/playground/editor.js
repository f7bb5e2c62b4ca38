// The editor of the playground: CodeMirror with what a program in C needs, behind four functions.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

// Lines and columns are those of characters, from 1 on; the editor counts units of UTF-16 from 0 on.
const offset = (doc, line, column) => {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return found.from + [...found.text].slice(0, Math.max(column, 1) - 1).join("").length;
};

/** An editor in `parent`; `changed` is called when the user changes the text, not when `setText` does. */
globalThis.accacheEditor = (parent, label, changed) => {
  let isOurs = false;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(classHighlighter),
        cpp(),
        lintGutter(),
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]), // Tab moves on, as everywhere
        EditorView.contentAttributes.of({ "aria-label": label, id: "program", spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOurs) changed();
        }),
      ],
    }),
  });
  const change = (changes) => {
    isOurs = true;
    view.dispatch({ changes });
    isOurs = false;
  };
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => change({ from: 0, to: view.state.doc.length, insert: text }),
    /** Apply a fix-it, which undo takes back. */
    apply: (fix) =>
      change(
        fix.changes.map((each) => ({
          from: offset(view.state.doc, each.line, each.column),
          to: offset(view.state.doc, each.end_line, each.end_column),
          insert: each.text,
        })),
      ),
    /** Show messages at their places, with their fix-its as buttons that call `mend`. */
    mark: (messages, mend) => {
      const doc = view.state.doc;
      const marks = messages
        .filter((told) => told.line)
        .map((told) => {
          const from = offset(doc, told.line, told.column ?? 1);
          const word = /^[\w#]*/.exec(doc.sliceString(from, Math.min(doc.length, from + 80)))[0];
          return {
            from,
            to: from + Math.max(word.length, from < doc.length ? 1 : 0),
            severity: { error: "error", warning: "warning" }[told.severity] ?? "info",
            message: `${told.message} [${told.code}]`,
            actions: (told.fixes ?? []).map((fix) => ({ name: fix.title, apply: () => mend(fix) })),
          };
        });
      view.dispatch(setDiagnostics(view.state, marks));
    },
  };
};

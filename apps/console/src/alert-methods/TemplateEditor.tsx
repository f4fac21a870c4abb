import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { json } from "@codemirror/lang-json"
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language"
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint"
import { EditorState, type Text } from "@codemirror/state"
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view"
import { Stack } from "@mantine/core"
import { tags } from "@lezer/highlight"
import { variableByName, variableField, variables } from "@tocsin/domain/forms"
import { useEffect, useRef } from "react"
import type { Issue } from "../editor/Fields.ts"
import css from "./TemplateEditor.module.css"
import { rich, t } from "../language/Text.tsx"

/**
 * An editor for templates: JSON with variables, which are completed after `$`, and issues at their lines.
 *
 * It is in a shadow root, where its styles are adopted style sheets: the content security policy forbids style elements.
 */
const TemplateEditor = ({
  start,
  issues,
  onChange,
}: {
  /** The initial text. */
  readonly start: string
  /** The issues of the current text; absent until it was checked. */
  readonly issues: ReadonlyArray<Issue> | undefined
  readonly onChange: (value: string) => void
}) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(onChange)
  changed.current = onChange
  const first = useRef(start)

  useEffect(() => {
    const element = host.current
    if (element === null) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          extensions,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      editor.destroy()
      view.current = undefined
    }
  }, [])

  useEffect(() => {
    const editor = view.current
    if (editor === undefined || issues === undefined) return
    const { doc } = editor.state
    editor.dispatch(
      setDiagnostics(
        editor.state,
        issues.map((issue) => diagnosticOf(doc, issue.message)),
      ),
    )
  }, [issues])

  return (
    <Stack gap="xs">
      <div ref={host} id="spec.webhook.template" className={css.editor} />
      <p className="dim small">
        {rich(
          "Type <code>$</code> to list the variables. Put text variables in quotes, and <code>$alert_policy_conditions[]</code> without quotes.",
          { code: (text) => <code>{text}</code> },
        )}
      </p>
      <ul className={`bad small ${css.issues}`} aria-live="polite" aria-label={t("Template errors")}>
        {issues?.map(({ message }, at) => {
          const { place, text } = placeOf(message)
          return (
            <li key={at}>
              {place !== undefined && <strong>{t("Line {line}:", { line: place.line })} </strong>}
              {text}
            </li>
          )
        })}
      </ul>
    </Stack>
  )
}
export default TemplateEditor

/** Splits a message of the server into its position and its text. Lines and columns start at 1. */
const placeOf = (
  message: string,
): {
  readonly place: { readonly line: number; readonly column: number } | undefined
  readonly text: string
} => {
  const match = /^line (\d+), column (\d+): ([^]*)$/i.exec(message)
  if (match === null) return { place: undefined, text: message }
  return { place: { line: Number(match[1]), column: Number(match[2]) }, text: match[3] ?? "" }
}

const diagnosticOf = (doc: Text, message: string): Diagnostic => {
  const { place, text } = placeOf(message)
  const line = doc.line(Math.min(place?.line ?? 1, doc.lines))
  const from = Math.min(line.from + (place?.column ?? 1) - 1, line.to)
  // The word at the position, or a single character.
  const [word = ""] =
    /^(?:\$[a-z_]*(?:\[\])?|\w+|"(?:[^"\\]|\\.)*"?|.)/.exec(doc.sliceString(from, line.to)) ?? []
  const isAtEnd = word === "" && from > line.from
  return { from: isAtEnd ? from - 1 : from, to: from + word.length, severity: "error", message: text }
}

const completions: ReadonlyArray<Completion> = variables.map((variable) => ({
  label: `$${variableField(variable)}`,
  detail: variable.type === t("array") ? t("array") : "",
  info: variable.description,
}))

/** Completes every variable after `$`. */
const completeVariable = (context: CompletionContext): CompletionResult | null => {
  const typed = context.matchBefore(/\$[a-z_]*(?:\[\]?)?/)
  if (typed === null) return null
  return { from: typed.from, options: completions, validFor: /^\$[a-z_]*(?:\[\]?)?$/ }
}

const variable = Decoration.mark({ class: "cm-variable" })
const unknownVariable = Decoration.mark({ class: "cm-variable-unknown" })

/** Highlights variables by the grammar of the server. */
const variableMatcher = new MatchDecorator({
  regexp: /\$([a-z_]+)(?:\[\])?/g,
  decoration: ([, name = ""]) => (variableByName.has(name) ? variable : unknownVariable),
})

const markedVariables = ViewPlugin.fromClass(
  class {
    decorations
    constructor(view: EditorView) {
      this.decorations = variableMatcher.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.decorations = variableMatcher.updateDeco(update, this.decorations)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

const theme = EditorView.theme({
  "&": {
    color: "var(--text)",
    backgroundColor: "var(--sunken)",
    borderRadius: "var(--radius-md)",
    fontSize: "var(--font-sm)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-gutter": { minHeight: "240px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", maxHeight: "60vh" },
  ".cm-content": { caretColor: "var(--text)", padding: "var(--space-xs) 0", minHeight: "240px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--dim)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--text) 5%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".cm-variable, .cm-variable *": { color: "var(--accent)", fontWeight: "var(--weight-bold)" },
  ".cm-variable-unknown, .cm-variable-unknown *": { color: "var(--bad)", fontWeight: "var(--weight-bold)" },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    border: "1px solid var(--border-strong)",
    borderRadius: "var(--radius-md)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-completionInfo": {
    padding: "var(--space-xs)",
    fontFamily: "var(--mantine-font-family)",
    maxWidth: "300px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "240px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "var(--space-2xs) var(--space-xs)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-fill)",
    color: "var(--on-accent)",
  },
  ".cm-completionIcon": { display: "none" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "var(--weight-bold)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)", fontFamily: "var(--mantine-font-family)" },
})

const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--text)" },
  { tag: tags.string, color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: tags.invalid, color: "inherit" },
])

const extensions = [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ override: [completeVariable], icons: false }),
  highlightActiveLine(),
  json(),
  syntaxHighlighting(highlighting),
  markedVariables,
  theme,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({
    "aria-label": t("Template"),
    spellcheck: "false",
    autocapitalize: "off",
  }),
  // Tab moves to the next field, so that the editor is no keyboard trap.
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
]

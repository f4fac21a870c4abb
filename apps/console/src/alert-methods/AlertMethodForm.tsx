import { Button, Switch, Textarea, TextInput } from "@mantine/core"
import { Limits } from "@tocsin/domain/Limits"
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react"
import { useLocation } from "wouter"
import { call, type CallFailed, failureOf } from "../api/Call.ts"
import { readDocuments } from "../api/Definitions.ts"
import { useResource } from "../api/Resource.ts"
import { useSession } from "../session/Session.ts"
import { Failure } from "../shell/Failure.tsx"
import { Notice } from "../shell/Notice.tsx"
import { Card } from "../shell/Page.tsx"
import css from "./AlertMethodForm.module.css"
import { AnnotationRows } from "./AnnotationRows.tsx"
import { defaultProject, type Draft, draftToDefinition, withDisplayName } from "./Draft.ts"
import { useDraftCheck } from "./DraftCheck.ts"
import type { DraftIssue } from "./DraftIssues.ts"
import { DraftPreview } from "./DraftPreview.tsx"
import { dropDraft, hasDrafts, keepDraft, keptDraft } from "./Drafts.ts"
import { HeaderRows } from "./HeaderRows.tsx"
import { NotificationDetails } from "./NotificationDetails.tsx"

/** What a part of the form is given. */
export interface FormPart {
  readonly draft: Draft
  /** Changes the draft; `field` is what was touched, and may tell what is wrong with it from now on. */
  readonly change: (field: string, next: (draft: Draft) => Draft) => void
  /** What is wrong with a field, if it is time to say so. */
  readonly errorOf: (field: string) => string | undefined
}

/**
 * The form of an alert method: what it is, where it goes and what it says, beside what would be sent.
 *
 * Source: contract section 2.1; decision 0207.
 */
export const AlertMethodForm = ({
  formKey,
  start,
  edited,
}: {
  readonly formKey: string
  readonly start: Draft
  readonly edited?: { readonly project: string; readonly name: string }
}) => {
  const { apiVersion } = useSession()
  const [, navigate] = useLocation()
  const [kept] = useState(() => keptDraft(formKey))
  const [draft, setDraft] = useState(kept?.draft ?? start)
  const [touched, setTouched] = useState(kept?.touched ?? new Set<string>())
  const [isRestored, setIsRestored] = useState(kept !== undefined)
  const [starts, setStarts] = useState(0)
  const [isSubmitted, setIsSubmitted] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<CallFailed>()
  const check = useDraftCheck(draft, apiVersion)
  const issues = [...check.issues, ...takenIssues(check.outcome, edited)]

  const change: FormPart["change"] = useCallback((field, next) => {
    setDraft((last) => next(last))
    setTouched((last) => (last.has(field) ? last : new Set([...last, field])))
  }, [])
  useEffect(() => {
    if (touched.size > 0) keepDraft(formKey, draft, touched)
  }, [formKey, draft, touched])
  useWarningBeforeLeaving()

  const isShown = (field: string | undefined): boolean =>
    field === undefined || isSubmitted || touched.has(field)
  const errorOf = (field: string): string | undefined => {
    if (!isShown(field)) return undefined
    const messages = issues.filter((issue) => issue.field === field).map(({ message }) => sentence(message))
    return messages.length === 0 ? undefined : messages.join(" ")
  }
  const part: FormPart = { draft, change, errorOf }
  const elsewhere = issues.filter(({ field }) => field === undefined)

  const startOver = (): void => {
    dropDraft(formKey)
    setDraft(start)
    setTouched(new Set())
    setIsSubmitted(false)
    setIsRestored(false)
    setStarts(starts + 1)
  }

  // A draft that was sent before the server had said what is wrong with it leads there as soon as it does.
  const refused = useRef<Draft>(undefined)
  useEffect(() => {
    if (refused.current !== draft || check.draft !== draft || issues.length === 0) return
    refused.current = undefined
    focusField(issues)
  })

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSubmitted(true)
    setFailure(undefined)
    if (check.draft === draft && issues.length > 0) return focusField(issues)
    setIsSaving(true)
    try {
      const definition = draftToDefinition(draft, apiVersion)
      if (edited === undefined && (await isTaken(definition))) {
        setIsSaving(false)
        return focusField(takenIssues("updated", undefined))
      }
      await call("PUT /api/apply", { body: definition })
      dropDraft(formKey)
      navigate(`/alert-methods/${definition.metadata.project}/${definition.metadata.name}`)
    } catch (error) {
      setIsSaving(false)
      const refusal = failureOf(error)
      // What is wrong with the draft stands at its fields.
      if (refusal.status === 400) refused.current = draft
      else setFailure(refusal)
    }
  }

  return (
    <form onSubmit={save} noValidate className={css.columns}>
      <div className={css.fields}>
        {isRestored && (
          <Notice kind="info">
            <p>This is what you typed here before.</p>
            <Button variant="default" size="compact-sm" onClick={startOver}>
              Start over
            </Button>
          </Notice>
        )}
        <Card title="What it is">
          <TextInput
            id="displayName"
            label="Display name"
            placeholder="On call – payments"
            value={draft.displayName}
            error={errorOf("displayName")}
            onChange={({ currentTarget: { value } }) =>
              change("displayName", (last) => withDisplayName(last, value))
            }
          />
          <div className={css.pair}>
            <TextInput
              id="name"
              label="Name"
              description={
                edited === undefined ? "Made from the display name; you can change it." : "Cannot be changed."
              }
              required
              withAsterisk={false}
              readOnly={edited !== undefined}
              autoCapitalize="none"
              spellCheck={false}
              value={draft.name}
              error={errorOf("name") ?? (touched.has("displayName") ? errorOfName(issues, draft) : undefined)}
              onChange={({ currentTarget: { value } }) =>
                change("name", (last) => ({ ...last, name: value, isNameEdited: value !== "" }))
              }
            />
            <ProjectInput {...part} isReadOnly={edited !== undefined} />
          </div>
          <Textarea
            id="description"
            label="Description"
            description="What it is for, and who looks after it."
            rows={3}
            value={draft.description}
            error={errorOf("description")}
            onChange={({ currentTarget: { value } }) =>
              change("description", (last) => ({ ...last, description: value }))
            }
          />
          <Counter count={Array.from(draft.description).length} max={Limits.descriptionMaxCharacters} />
          <AnnotationRows {...part} />
        </Card>
        <Card title="Where it goes">
          <UrlInput {...part} />
          <HeaderRows {...part} />
        </Card>
        <Card title="What it says">
          <NotificationDetails
            key={starts}
            {...part}
            templateIssues={
              check.draft?.template === draft.template
                ? issues.filter(({ field, code }) => field === "template" && code !== "required")
                : undefined
            }
          />
          <Switch
            label="Tell also when an alert is resolved"
            description="Sends alert.resolved when the alert is over."
            checked={draft.sendResolution}
            onChange={({ currentTarget: { checked } }) =>
              change("sendResolution", (last) => ({ ...last, sendResolution: checked }))
            }
          />
        </Card>
        {elsewhere.length > 0 && (
          <Notice kind="bad" role="alert">
            {elsewhere.map(({ message }, at) => (
              <p key={at}>{sentence(message)}</p>
            ))}
          </Notice>
        )}
        {failure !== undefined && <Failure failure={failure} />}
        <div className={css.save}>
          <Button type="submit" loading={isSaving}>
            {edited === undefined ? "Create alert method" : "Save changes"}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              dropDraft(formKey)
              navigate(
                edited === undefined ? "/alert-methods" : `/alert-methods/${edited.project}/${edited.name}`,
              )
            }}
          >
            Cancel
          </Button>
          <span className={`dim small ${css.sum}`} role="status">
            {isSubmitted && issues.length > 0
              ? `${issues.length} ${issues.length === 1 ? "thing has" : "things have"} to be mended first.`
              : ""}
          </span>
        </div>
      </div>
      <DraftPreview draft={draft} check={check} />
    </form>
  )
}

const ProjectInput = ({
  draft,
  change,
  errorOf,
  isReadOnly,
}: FormPart & { readonly isReadOnly: boolean }) => {
  const { data } = useResource("projects", (signal) => readDocuments("projects", {}, signal))
  return (
    <>
      <TextInput
        id="project"
        label="Project"
        description={isReadOnly ? "Cannot be changed." : "Owns the alert method."}
        placeholder={defaultProject}
        list="projects"
        readOnly={isReadOnly}
        autoCapitalize="none"
        spellCheck={false}
        value={draft.project}
        error={errorOf("project")}
        onChange={({ currentTarget: { value } }) =>
          change("project", (last) => ({ ...last, project: value }))
        }
      />
      <datalist id="projects">
        {data?.map(({ metadata }) => (
          <option key={metadata.name} value={metadata.name}>
            {metadata.displayName}
          </option>
        ))}
      </datalist>
    </>
  )
}

const UrlInput = ({ draft, change, errorOf }: FormPart) =>
  draft.isUrlKept ? (
    <div className={css.keptUrl}>
      <TextInput
        id="url"
        label="URL"
        description="Stored, and shown to nobody."
        readOnly
        value="••••••••••••"
        error={errorOf("url")}
      />
      <Button
        className={css.replace ?? ""}
        variant="default"
        onClick={() => {
          change("url-kept", (last) => ({ ...last, isUrlKept: false }))
          requestAnimationFrame(() => document.getElementById("url")?.focus())
        }}
      >
        Replace the URL
      </Button>
    </div>
  ) : (
    <TextInput
      id="url"
      label="URL"
      description="Each notification is an HTTP POST to it. Begins with https://"
      placeholder="https://hooks.example.com/tocsin"
      type="url"
      required
      withAsterisk={false}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={draft.url}
      error={errorOf("url")}
      onChange={({ currentTarget: { value } }) => change("url", (last) => ({ ...last, url: value }))}
    />
  )

const Counter = ({ count, max }: { readonly count: number; readonly max: number }) => (
  <p className={`${css.counter} ${count > max ? css.over : ""}`}>
    {count.toLocaleString("en")} of {max.toLocaleString("en")} characters
  </p>
)

/** The server's rules stand after a path: `must not be empty`. */
const sentence = (message: string): string => {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?/]$/.test(text) ? text : `${text}.`
}

/** A name that follows from a display name is wrong only where none can follow from it, or it is taken. */
const errorOfName = (issues: ReadonlyArray<DraftIssue>, draft: Draft): string | undefined => {
  const issue = issues.find(({ field }) => field === "name")
  return issue === undefined || draft.displayName === "" ? undefined : sentence(issue.message)
}

/** Saving a new alert method under the name of another one would replace it. */
const takenIssues = (
  outcome: "created" | "updated" | "unchanged" | undefined,
  edited: object | undefined,
): ReadonlyArray<DraftIssue> =>
  edited !== undefined || outcome === undefined || outcome === "created"
    ? []
    : [{ field: "name", code: "taken", message: "is the name of another alert method of this project" }]

const isTaken = async (definition: ReturnType<typeof draftToDefinition>): Promise<boolean> => {
  const { data } = await call("PUT /api/apply", { query: { dry_run: "true" }, body: definition })
  return data[0]?.outcome !== "created"
}

const focusField = (issues: ReadonlyArray<DraftIssue>): void => {
  const element = issues
    .flatMap(({ field }) => {
      const found = field === undefined ? null : document.getElementById(field)
      return found === null ? [] : [found]
    })
    .toSorted((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))[0]
  // The template's editor stands in a shadow root.
  const editor = element?.shadowRoot?.querySelector<HTMLElement>("[contenteditable]")
  ;(editor ?? element)?.focus()
  element?.scrollIntoView({ block: "center" })
}

const useWarningBeforeLeaving = (): void => {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (hasDrafts()) event.preventDefault()
    }
    addEventListener("beforeunload", warn)
    return () => removeEventListener("beforeunload", warn)
  }, [])
}

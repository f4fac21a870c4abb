import { useEffect, useState } from "react"
import type { Schemas } from "../api/ApiTypes.ts"
import { call, CallFailed, failureOf } from "../api/Call.ts"
import { type AlertMethodDefinition, defaultProject, type Draft, draftToDefinition } from "./Draft.ts"
import { allIssues, type DraftIssue } from "./DraftIssues.ts"

/** What the server says of the draft, and would send for it. */
export interface DraftCheck {
  /** The draft that this is about; while another one stands in the form the answer is on its way. */
  readonly draft: Draft | undefined
  readonly issues: ReadonlyArray<DraftIssue>
  /** Whether saving makes a new alert method; absent while the draft is wrong. */
  readonly outcome: "created" | "updated" | "unchanged" | undefined
  /** The latest that could be made: `isStale` when the draft is wrong since. */
  readonly preview: Schemas["AlertMethodPreview"] | undefined
  /** Name or URL are not right yet: of the preview, the body alone is what would be sent. */
  readonly isBodyOnly: boolean
  readonly isStale: boolean
  /** The server could not be asked. */
  readonly failure: CallFailed | undefined
}

/** How long the typing has to rest before the server is asked. */
const restMs = 250

/** Has the server check the draft as one types, and show what it would send: a dry run and a preview. */
export const useDraftCheck = (draft: Draft, apiVersion: string): DraftCheck => {
  const [check, setCheck] = useState<DraftCheck>({
    draft: undefined,
    issues: [],
    outcome: undefined,
    preview: undefined,
    isBodyOnly: false,
    isStale: false,
    failure: undefined,
  })
  const isFirst = check.draft === undefined && check.failure === undefined
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const ask = async (): Promise<void> => {
      try {
        const answer = await checkDraft(draft, apiVersion, abort.signal)
        setCheck((last) => ({
          ...answer,
          draft,
          preview: answer.preview ?? last.preview,
          isBodyOnly: answer.preview === undefined ? last.isBodyOnly : answer.isBodyOnly,
          isStale: answer.preview === undefined,
          failure: undefined,
        }))
      } catch (error) {
        if (abort.signal.aborted) return
        setCheck((last) => ({ ...last, failure: failureOf(error) }))
        timer = setTimeout(ask, 5_000)
      }
    }
    timer = setTimeout(ask, isFirst ? 0 : restMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
    // Only another draft is asked about anew.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [draft, apiVersion])
  return check
}

/** What the server says of a draft now. */
const checkDraft = async (draft: Draft, apiVersion: string, signal: AbortSignal) => {
  const definition = draftToDefinition(draft, apiVersion)
  const previewOf = (body: AlertMethodDefinition) =>
    errorsUnless(call("POST /api/alertmethods/preview", { body, signal }))
  const [applied, whole] = await Promise.all([
    errorsUnless(call("PUT /api/apply", { query: { dry_run: "true" }, body: definition, signal })),
    previewOf(definition),
  ])
  const preview = "errors" in whole ? await previewOf(withBodyAlone(definition)) : whole
  return {
    // The dry run says all that the preview says of what is wrong, and more.
    issues: allIssues(draft, "errors" in applied ? applied.errors : []),
    outcome: "errors" in applied ? undefined : applied.data[0]?.outcome,
    preview: "errors" in preview ? undefined : preview,
    isBodyOnly: "errors" in whole,
  }
}

/** The definition with nothing that could be wrong beside what it says: its body can be seen before it is whole. */
const withBodyAlone = ({
  apiVersion,
  kind,
  spec: { webhook },
}: AlertMethodDefinition): AlertMethodDefinition => ({
  apiVersion,
  kind,
  metadata: { name: "preview", project: defaultProject },
  spec: {
    webhook: {
      url: "https://hooks.example.com/",
      ...(webhook.template !== undefined && { template: webhook.template }),
      ...(webhook.templateFields !== undefined && { templateFields: webhook.templateFields }),
    },
  },
})

/** What is wrong with a definition is an answer here, no failure. */
const errorsUnless = <T>(answer: Promise<T>) =>
  answer.catch((error: unknown) => {
    if (error instanceof CallFailed && error.status === 400) return { errors: error.errors }
    throw error
  })

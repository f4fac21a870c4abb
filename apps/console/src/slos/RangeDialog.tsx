import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { ErrorItem } from "../api/Client.ts"
import { ruleText } from "../api/Issues.ts"
import type { Range } from "../chart/Scale.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { IssueTexts } from "../components/IssueTexts.tsx"
import { RangeFields, typedRange, type TypedRange } from "./RangeFields.tsx"

interface Rejected {
  readonly errors: ReadonlyArray<ErrorItem>
}

/** A dialog that starts something with a range, whose issues are at its fields. */
export const RangeDialog = <T extends object>({
  title,
  submitLabel,
  labels,
  range,
  start,
  onClose,
  onDone,
  children,
}: {
  readonly title: string
  readonly submitLabel: string
  readonly labels: { readonly from: string; readonly to: string }
  readonly range: Range
  readonly start: (range: TypedRange) => Promise<T | Rejected>
  readonly onClose: () => void
  readonly onDone: (started: Exclude<T, Rejected>) => void
  /** What it does. */
  readonly children: ReactNode
}) => {
  const [typed, setTyped] = useState(() => typedRange(range))
  const [issues, setIssues] = useState<ReadonlyArray<ErrorItem>>([])
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      setIssues([])
      const started = await start(typed)
      if ("errors" in started) setIssues((started as Rejected).errors)
      else onDone(started as Exclude<T, Rejected>)
    },
  })
  const issueAt = (field: string): string | undefined => {
    const issue = issues.find(({ source }) => source?.propertyName === field)
    return issue && ruleText(issue.detail ?? issue.title)
  }
  const others = issues.filter(({ source }) => !["from", "to"].includes(source?.propertyName ?? ""))
  return (
    <ActionDialog
      title={title}
      submitLabel={submitLabel}
      isBusy={isPending}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      {children}
      <RangeFields
        value={typed}
        onChange={setTyped}
        labels={labels}
        errors={{ from: issueAt("from"), to: issueAt("to") }}
      />
      <IssueTexts issues={others} />
    </ActionDialog>
  )
}

import { useMutation } from "@tanstack/react-query"
import { type ComponentProps, type ReactNode, useState } from "react"
import { issuesOr } from "../api/Issues.ts"
import { ActionDialog } from "../components/Dialog.tsx"
import { OtherIssues } from "./OtherIssues.tsx"
import { type DraftFields, fieldsOf, type Issue, issueOf, unchanged } from "./Fields.ts"
import type { Rules } from "./Rules.ts"

interface BodyOptions<B, T> {
  readonly rules: Rules
  readonly initial: () => B
  readonly send: (body: B) => Promise<T>
  readonly onDone: (result: T) => unknown
}

/** The body of a request, whose fields show the issues that the server finds in it once it was sent. */
export const useBody = <B extends object, T>({ rules, initial, send, onDone }: BodyOptions<B, T>) => {
  const [entered, setEntered] = useState(() => unchanged(initial()))
  const [issues, setIssues] = useState<ReadonlyArray<Issue>>([])
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      setIssues([])
      const sent = await issuesOr(send(entered.values).then((result) => ({ result })))
      if ("result" in sent) await onDone(sent.result)
      else setIssues(sent.errors.map(issueOf))
    },
  })
  const draft = fieldsOf({
    ...entered,
    rules,
    issues,
    isShown: () => true,
    change: setEntered,
  })
  return { draft, body: entered.values, send: mutate, isPending, error }
}

/** A dialog that edits the body of a request and sends it. */
export const BodyDialog = <B extends object, T>({
  rules,
  initial,
  send,
  onDone,
  error,
  children,
  ...dialog
}: BodyOptions<B, T> &
  Omit<ComponentProps<typeof ActionDialog>, "isBusy" | "error" | "onSubmit" | "children"> & {
    /** Why something else in the dialog failed. */
    readonly error?: unknown
    readonly children: (draft: DraftFields, body: B) => ReactNode
  }) => {
  const { draft, body, isPending, ...sending } = useBody({ rules, initial, send, onDone })
  return (
    <ActionDialog
      {...dialog}
      isBusy={isPending}
      error={sending.error ?? error ?? null}
      onSubmit={sending.send}
    >
      {children(draft, body)}
      <OtherIssues draft={draft} />
    </ActionDialog>
  )
}

import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { issuesOr } from "../api/Issues.ts"
import { fieldsOf, type Issue, issueOf, unchanged } from "./Fields.ts"
import type { Rules } from "./Rules.ts"

interface Fields<B> {
  readonly rules: Rules
  readonly initial: () => B
}

export interface BodyOptions<B, T> extends Fields<B> {
  readonly send: (body: B) => Promise<T>
  readonly onDone: (result: T) => unknown
}

/** A document that fields edit: all of it, the fields with what is wrong in it, and a new start. */
export const useFields = <B extends object>({ rules, initial }: Fields<B>) => {
  const [entered, setEntered] = useState(() => unchanged(initial()))
  return {
    body: entered.values,
    fields: (issues: ReadonlyArray<Issue> = []) =>
      fieldsOf({ ...entered, rules, issues, isShown: () => true, change: setEntered }),
    reset: () => setEntered(unchanged(initial())),
  }
}

/** The body of a request, whose fields show the issues that the server finds in it once it was sent. */
export const useBody = <B extends object, T>({ send, onDone, ...options }: BodyOptions<B, T>) => {
  const { body, fields } = useFields(options)
  const [issues, setIssues] = useState<ReadonlyArray<Issue>>([])
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      setIssues([])
      const sent = await issuesOr(send(body).then((result) => ({ result })))
      if ("result" in sent) await onDone(sent.result)
      else setIssues(sent.errors.map(issueOf))
    },
  })
  return { draft: fields(issues), body, send: mutate, isPending, error }
}

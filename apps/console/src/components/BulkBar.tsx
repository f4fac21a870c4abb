import { Button, Group, Progress } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { apiErrorOf } from "../api/Client.ts"
import { t } from "../language/Text.tsx"
import css from "./ActionBar.module.css"
import { ActionDialog } from "./Dialog.tsx"
import { Notice } from "./Notice.tsx"
import type { ItemName } from "./ObjectName.ts"
import type { Selection } from "./Selection.ts"

/** What can be done with several items of a list at once. */
export interface BulkAction<T> {
  readonly label: string
  /** The title of its dialog. */
  readonly title: (count: number) => string
  /** What it affects, or what is to be entered. */
  readonly content: ReactNode
  /** It destroys something. */
  readonly isDangerous?: boolean
  /** Absent: it can be started. */
  readonly isIncomplete?: boolean
  readonly run: (item: T) => Promise<unknown>
  /** After all were tried. */
  readonly onDone?: () => void
}

interface Result<T> {
  readonly done: number
  readonly failed: ReadonlyArray<{ readonly item: T; readonly messages: ReadonlyArray<string> }>
}

/** How many items are chosen, what can be done with them, and what came of it for each. */
export const BulkBar = <T,>({
  selection,
  actions,
  nameOf,
}: {
  readonly selection: Selection<T>
  readonly actions: ReadonlyArray<BulkAction<T>>
  readonly nameOf: (item: T) => ItemName
}) => {
  const { all, items, keyOf } = selection
  const queryClient = useQueryClient()
  const [openLabel, setOpenLabel] = useState<string>()
  const open = actions.find(({ label }) => label === openLabel)
  const [settled, setSettled] = useState(0)
  const [result, setResult] = useState<Result<T>>()
  const count = items.length
  const run = useMutation({
    mutationFn: async (action: BulkAction<T>) => {
      setResult(undefined)
      setSettled(0)
      const failed: Array<Result<T>["failed"][number]> = []
      // One after the other: changes of one organization are made in turn.
      for (const [at, item] of items.entries()) {
        try {
          await action.run(item)
        } catch (error) {
          failed.push({ item, messages: apiErrorOf(error).messages })
        }
        setSettled(at + 1)
      }
      setResult({ done: count - failed.length, failed })
      setOpenLabel(undefined)
      // Before the lists are read again, when the user may already choose others.
      selection.set(failed.map(({ item }) => item))
      action.onDone?.()
      await queryClient.invalidateQueries()
    },
  })
  return (
    <>
      {result !== undefined && (
        <Notice kind={result.failed.length === 0 ? "ok" : "bad"} role="status">
          <p>
            {result.failed.length === 0
              ? t("{count, plural, one {# item changed.} other {# items changed.}}", { count: result.done })
              : t("{done} of {count} changed. The others stay selected:", {
                  done: result.done,
                  count: result.done + result.failed.length,
                })}
          </p>
          {result.failed.length > 0 && (
            <ul>
              {result.failed.map(({ item, messages }) => (
                <li key={keyOf(item)}>
                  <Named {...nameOf(item)} />
                  {messages.map((message, at) => (
                    <div key={at}>{message}</div>
                  ))}
                </li>
              ))}
            </ul>
          )}
          <Button variant="default" size="compact-sm" onClick={() => setResult(undefined)}>
            {t("Close")}
          </Button>
        </Notice>
      )}
      {count > 0 && (
        <div className={css.bar} role="toolbar" aria-label={t("Selected items")}>
          <span className={css.text} role="status">
            {t("{count, plural, one {# selected} other {# selected}}", { count })}
          </span>
          <Group gap="xs">
            {actions.map(({ label }) => (
              <Button key={label} size="compact-sm" variant="default" onClick={() => setOpenLabel(label)}>
                {label}
              </Button>
            ))}
            {count < all.length && (
              <Button size="compact-sm" variant="subtle" onClick={() => selection.set(all)}>
                {t("Select all")}
              </Button>
            )}
            <Button size="compact-sm" variant="subtle" onClick={() => selection.set([])}>
              {t("Clear")}
            </Button>
          </Group>
        </div>
      )}
      {open !== undefined && count > 0 && (
        <ActionDialog
          title={open.title(count)}
          submitLabel={open.label}
          color={open.isDangerous ? "red" : undefined}
          isBusy={run.isPending}
          isDisabled={open.isIncomplete ?? false}
          error={run.error}
          onSubmit={() => run.mutate(open)}
          onClose={() => !run.isPending && setOpenLabel(undefined)}
        >
          {open.content}
          <ul className={css.names} aria-label={t("Selected items")} tabIndex={0}>
            {items.map((item) => (
              <li key={keyOf(item)}>
                <Named {...nameOf(item)} />
              </li>
            ))}
          </ul>
          {run.isPending && (
            <div role="status">
              <p className="small">{t("{done} of {count}", { done: settled, count })}</p>
              <Progress value={(100 * settled) / count} aria-hidden="true" />
            </div>
          )}
        </ActionDialog>
      )}
    </>
  )
}

const Named = ({ name, detail }: ItemName) => (
  <>
    <strong>
      <bdi>{name}</bdi>
    </strong>
    {detail !== undefined && (
      <>
        {" "}
        <bdi className="dim small">{detail}</bdi>
      </>
    )}
  </>
)

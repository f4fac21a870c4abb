import type { Review } from "@tocsin/api"
import { Button, Textarea } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import rules from "virtual:rules/writeReviewNotes"
import { ApiError, bodyOf, client } from "../api/Client.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card, DescriptionList } from "../components/Page.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { TimeField } from "../editor/TimeField.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"

const keyOf = (id: string) => ["review-notes", id]

/** The notes of a review. */
export const useNotes = (id = "") => {
  const query = useQuery({
    queryKey: keyOf(id),
    enabled: id !== "",
    queryFn: ({ signal }) =>
      bodyOf(client.GET("/api/reviews/{id}/notes", { params: { path: { id } }, signal })),
  })
  return { query, notes: query.data }
}

type Notes = NonNullable<ReturnType<typeof useNotes>["notes"]>

/** What is sent of the notes: a change in the meantime is not overwritten. */
const sentOf = ({ updatedAt: _at, updatedBy: _by, ...notes }: Notes) => notes

const useSend = (id: string) => {
  const queries = useQueryClient()
  return async (body: ReturnType<typeof sentOf>) => {
    try {
      const notes = await bodyOf(client.PUT("/api/reviews/{id}/notes", { params: { path: { id } }, body }))
      queries.setQueryData(keyOf(id), notes)
      return notes
    } catch (error) {
      // Edited again, it is what is stored now.
      if (error instanceof ApiError && error.status === 412)
        void queries.invalidateQueries({ queryKey: keyOf(id) })
      throw error
    }
  }
}

/** Decisions, and when the next review is due. */
export const NotesCard = ({ review: { id, slos } }: { readonly review: Review }) => {
  const { query, notes } = useNotes(id)
  const [isEditing, setIsEditing] = useState(false)
  const isEditor = useIsEditor()
  const send = useSend(id)
  const noted = notes?.slos ?? []
  return (
    <Card
      title={t("Decisions and notes")}
      aside={
        isEditor &&
        notes !== undefined && (
          <Button variant="default" onClick={() => setIsEditing(true)}>
            {t("Edit notes")}
          </Button>
        )
      }
    >
      <QueryError query={query} />
      {notes !== undefined && isEditing && (
        <BodyDialog
          title={t("Decisions and notes")}
          submitLabel={t("Save notes")}
          rules={rules}
          initial={() => sentOf(notes)}
          send={send}
          onClose={() => setIsEditing(false)}
          onDone={() => setIsEditing(false)}
        >
          {(draft) => (
            <>
              <Textarea
                {...draft.field("text")}
                label={t("Decisions and notes")}
                autosize
                minRows={6}
                data-autofocus
              />
              <TimeField draft={draft} path="nextReviewAt" label={t("Next review")} />
            </>
          )}
        </BodyDialog>
      )}
      {notes !== undefined && (
        <>
          {notes.text === undefined ? (
            <p className="dim">{t("No decisions or notes yet.")}</p>
          ) : (
            <p className="description">{notes.text}</p>
          )}
          <DescriptionList
            properties={[
              ...noted.map(({ project, slo, text }): readonly [string, ReactNode] => [
                slos.find((each) => each.project === project && each.slo === slo)?.displayName ?? slo,
                <span className="description">{text}</span>,
              ]),
              [
                t("Next review"),
                notes.nextReviewAt === undefined ? t("not set") : <DateTime at={notes.nextReviewAt} />,
              ],
            ]}
          />
        </>
      )}
    </Card>
  )
}

/** Edits the note about an SLO. */
export const SloNote = ({
  id,
  slo: { project, slo, displayName },
  notes,
}: {
  readonly id: string
  readonly slo: Review["slos"][number]
  readonly notes: Notes
}) => {
  const [isEditing, setIsEditing] = useState(false)
  const send = useSend(id)
  const { slos = [], ...others } = sentOf(notes)
  const rest = slos.filter((each) => each.project !== project || each.slo !== slo)
  const initial = () => ({
    ...others,
    slos: [slos.find((each) => !rest.includes(each)) ?? { project, slo, text: "" }, ...rest],
  })
  return (
    <>
      <Button variant="subtle" size="compact-sm" onClick={() => setIsEditing(true)}>
        {rest.length < slos.length ? t("Edit note") : t("Add note")}
      </Button>
      {isEditing && (
        <BodyDialog
          title={t("Note about {name}", { name: displayName })}
          submitLabel={t("Save notes")}
          rules={rules}
          initial={initial}
          send={({ slos: typed, ...body }) =>
            send({ ...body, slos: typed.filter(({ text }) => (text ?? "").trim() !== "") })
          }
          onClose={() => setIsEditing(false)}
          onDone={() => setIsEditing(false)}
        >
          {(draft) => (
            <Textarea
              {...draft.field("slos[0].text")}
              label={t("Note")}
              autosize
              minRows={3}
              data-autofocus
            />
          )}
        </BodyDialog>
      )}
    </>
  )
}

import { Group, TextInput } from "@mantine/core"
import rules from "virtual:rules/createReview"
import { bodyOf, client } from "../api/Client.ts"
import { useDocuments } from "../api/Definitions.ts"
import { Select } from "../components/Filters.tsx"
import { BodyDialog } from "../editor/BodyDialog.tsx"
import { NameInput } from "../editor/NameInput.tsx"
import { TimeField } from "../editor/TimeField.tsx"
import { t } from "../language/Text.tsx"
import { RangeFields, typedRange } from "../slos/RangeFields.tsx"
import { minuteOf } from "../time/Minute.ts"
import { monthStart, timeZoneName } from "../time/TimeZone.ts"

/** The SLOs of a review as the filters of a list have them; empty texts are no filters. */
export interface TypedScope {
  readonly project?: string
  readonly service?: string
  readonly labels?: string
  readonly search?: string
  readonly view?: string
}

/** Creates a review, at first of the last whole quarter. */
export const CreateReview = ({
  scope,
  onClose,
  onDone,
}: {
  readonly scope: TypedScope
  readonly onClose: () => void
  readonly onDone: (id: string) => void
}) => {
  const projects = useDocuments("projects")
  const services = useDocuments("services")
  const { data: views = [] } = useDocuments("savedviews")
  const given = Object.entries(scope).filter(([, value]) => value !== "")
  const initial = (): TypedScope & {
    readonly from: string
    readonly to: string
    readonly timeZone: string
  } => ({
    ...Object.fromEntries(given),
    ...typedRange(periods().quarter),
    timeZone: timeZoneName(),
  })
  return (
    <BodyDialog
      title={t("Create review")}
      submitLabel={t("Create review")}
      rules={rules}
      initial={initial}
      send={(body) => bodyOf(client.POST("/api/reviews", { body }))}
      onClose={onClose}
      onDone={({ id }) => onDone(id)}
    >
      {(draft, body) => (
        <>
          <p>
            {t(
              "Creates a signed review of all SLOs that match, from the current data. A review never changes.",
            )}
          </p>
          <TextInput
            {...draft.field("title")}
            label={t("Title")}
            description={draft.hint("title")}
            data-autofocus
          />
          {(views.length > 0 || body.view) && (
            <Select
              {...draft.field("view")}
              label={t("SLOs")}
              value={body.view ?? ""}
              all={t("By the filters below")}
              data={views.map(({ metadata: { name, displayName } }) => ({
                value: name,
                label: t("Saved view: {name}", { name: displayName || name }),
              }))}
              onChange={(view) =>
                draft.put({ view, ...(view !== "" && { project: "", service: "", labels: "", search: "" }) })
              }
            />
          )}
          {!body.view && (
            <>
              <Group gap="sm" align="flex-start" grow>
                <NameInput
                  {...draft.field("project")}
                  label={t("Project")}
                  suggestions={suggestionsOf(projects.data)}
                />
                <NameInput
                  {...draft.field("service")}
                  label={t("Service")}
                  suggestions={suggestionsOf(
                    services.data?.filter(
                      ({ metadata }) => !body.project || metadata.project === body.project,
                    ),
                  )}
                />
              </Group>
              <Group gap="sm" align="flex-start" grow>
                <TextInput {...draft.field("labels")} label={t("Labels")} placeholder="team=payments,tier" />
                <TextInput {...draft.field("search")} label={t("Part of a name")} />
              </Group>
            </>
          )}
          <Select
            label={t("Period")}
            value={nameOf(body)}
            all={t("Custom")}
            data={[
              { value: "quarter", label: t("Last quarter") },
              { value: "month", label: t("Last month") },
              { value: "current", label: t("This quarter until now") },
            ]}
            onChange={(name) => {
              const period = Object.entries(periods()).find(([each]) => each === name)?.[1]
              if (period !== undefined) draft.put(typedRange(period))
            }}
          />
          <RangeFields draft={draft} labels={{ from: t("Period from"), to: t("Period to") }} />
          <TimeField
            draft={draft}
            path="nextReviewAt"
            label={t("Next review")}
            description={t("By default, the next time of the review cycle of the service, if it has any.")}
          />
        </>
      )}
    </BodyDialog>
  )
}

/** Services of several projects can have one name. */
const suggestionsOf = (documents: ReadonlyArray<{ readonly metadata: { readonly name: string } }> = []) =>
  [...new Set(documents.map(({ metadata }) => metadata.name))].map((value) => ({ value }))

/** The usual periods, in the time zone of the user. */
const periods = () => {
  const now = Date.now()
  return {
    quarter: { from: monthStart(now, -3, 3), to: monthStart(now, 0, 3) },
    month: { from: monthStart(now, -1), to: monthStart(now) },
    current: { from: monthStart(now, 0, 3), to: minuteOf(now) },
  }
}

const nameOf = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  Object.entries(periods()).find(
    ([, period]) => period.from === Date.parse(from) && period.to === Date.parse(to),
  )?.[0] ?? ""

import { rejection } from "../api/Client.ts"
import { poll, pollMs } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { useDocuments } from "../api/Definitions.ts"
import { readStored, saveAlone } from "../editor/Merging.ts"
import { DefinitionListPage } from "../lists/DefinitionList.tsx"
import { t } from "../language/Text.tsx"
import { SilenceState, useSilenceStates } from "./SilenceState.tsx"
import { type AlertSilence, Scope, Times } from "./SilenceText.tsx"

/** Every alert silence. */
const SilencesPage = () => {
  const query = useDocuments("alertsilences", {}, { refetchInterval: poll(5 * pollMs) })
  const states = useSilenceStates()
  const stateOf = new Map(states.data?.map((each) => [`${each.project}/${each.name}`, each]))
  return (
    <DefinitionListPage
      subtitle={t("Times in which alerts send no notifications.")}
      back={{ href: "/alerts", text: t("Alerts") }}
      query={query}
      kind="alertsilences"
      columns={[
        {
          name: t("Status"),
          cell: ({ metadata }) => {
            const silence = stateOf.get(`${metadata.project}/${metadata.name}`)
            return silence && <SilenceState silence={silence} />
          },
        },
        { name: t("SLOs"), isLabeled: true, cell: (silence) => <Scope silence={silence} /> },
        { name: t("Active"), isLabeled: true, cell: (silence) => <Times silence={silence} /> },
        {
          name: t("Description"),
          cell: ({ spec }) => spec.description !== undefined && <bdi>{spec.description}</bdi>,
        },
      ]}
      emptyTitle={t("No silences yet")}
      emptyText={t("Silences appear here. A silence suppresses the notifications of SLOs for some time.")}
      deleteText={t("Alerts of their SLOs send notifications again.")}
      actions={[
        {
          label: t("End now"),
          title: (count) => t("{count, plural, one {End # silence?} other {End # silences?}}", { count }),
          content: (
            <p>{t("Alerts of their SLOs send notifications again. The silences stay in the list.")}</p>
          ),
          run: endSilence,
        },
      ]}
    >
      <QueryError query={states} />
    </DefinitionListPage>
  )
}
export default SilencesPage

/** Ends a silence now, if it is not over anyway. */
const endSilence = async ({ metadata: { project, name } }: AlertSilence): Promise<void> => {
  const stored = await readStored<AlertSilence>("alertsilences", { project, name })
  const silence = stored.definition
  if (silence === undefined) throw rejection(t("The silence was deleted."))
  const { period } = silence.spec
  if (period === undefined) throw rejection(t("A recurring silence can’t be ended. Delete it instead."))
  const start = Date.parse(period.startTime ?? "")
  if (start > Date.now()) throw rejection(t("The silence has not started yet. Delete it instead."))
  const { duration: _until, ...rest } = period
  await saveAlone(stored, {
    ...silence,
    spec: { ...silence.spec, period: { ...rest, endTime: new Date().toISOString() } },
  } as AlertSilence)
}

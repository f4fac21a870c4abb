import { poll, pollMs } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { useDocuments } from "../api/Definitions.ts"
import { DefinitionListPage } from "../lists/DefinitionList.tsx"
import { t } from "../language/Text.tsx"
import { endSilence } from "./EndSilence.ts"
import { SilenceState, useSilenceStates } from "./SilenceState.tsx"
import { Scope, Times } from "./SilenceText.tsx"

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
          run: ({ metadata: { project, name } }) => endSilence({ project, name }),
        },
      ]}
    >
      <QueryError query={states} />
    </DefinitionListPage>
  )
}
export default SilencesPage

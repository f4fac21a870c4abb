import { Button } from "@mantine/core"
import { Link } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { EmptyState } from "../components/EmptyState.tsx"
import { Plus } from "../components/Icon.tsx"
import { ListTable, RowLink } from "../components/ListTable.tsx"
import { Page } from "../components/Page.tsx"
import { useIsEditor } from "../session/Session.ts"
import { Scope, Times } from "./SilenceText.tsx"

/** Every alert silence. */
const SilencesPage = () => {
  const isEditor = useIsEditor()
  const query = useDocuments("alertsilences")
  const create = isEditor && (
    <Button component={Link} href="/silences/new" leftSection={<Plus />}>
      Create silence
    </Button>
  )
  return (
    <Page
      title="Silences"
      subtitle="Times in which alerts send no notifications."
      back={{ href: "/alerts", text: "Alerts" }}
      actions={(query.data?.length ?? 0) > 0 && create}
    >
      <ListTable
        query={query}
        items={query.data}
        label="Silences"
        columns={[
          {
            name: "Name",
            cell: ({ metadata, spec }) => (
              <>
                <RowLink href={`/silences/${metadata.project}/${metadata.name}`}>
                  {metadata.displayName ?? metadata.name}
                </RowLink>
                <div className="dim small">{spec.description ?? metadata.project}</div>
              </>
            ),
          },
          { name: "SLOs", isLabeled: true, cell: (silence) => <Scope silence={silence} /> },
          { name: "Active", isLabeled: true, cell: (silence) => <Times silence={silence} /> },
        ]}
        keyOf={({ metadata }) => `${metadata.project}/${metadata.name}`}
        empty={
          <EmptyState title="No silences yet">
            <p>Silences appear here. A silence suppresses the notifications of SLOs for some time.</p>
            {create}
          </EmptyState>
        }
      />
    </Page>
  )
}
export default SilencesPage

import type { DefinitionDocument, FoundRevision } from "@tocsin/api"
import { Button, Group } from "@mantine/core"
import { useState } from "react"
import { writeYamlDocument } from "@tocsin/formats/yaml"
import { type DefinitionKey, useDefinition } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { DefinitionDiff } from "./DefinitionDiff.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { storedOf } from "../editor/Merging.ts"
import { RestoreDialog } from "./RestoreDialog.tsx"
import { Author, RevisionOutcome } from "./RevisionText.tsx"

/** A change of a definition: what it was before and after. Editors can restore it. */
export const RevisionDialog = ({
  kind,
  project,
  name,
  id,
  onClose,
  onRestored,
}: DefinitionKey & {
  /** As in the path of the API. */
  readonly kind: string
  readonly id: string
  readonly onClose: () => void
  readonly onRestored?: (definition: DefinitionDocument) => void
}) => {
  const isEditor = useIsEditor()
  const [isRestoring, setIsRestoring] = useState(false)
  const query = api.useQuery("get", "/api/definitions/{kind}/{name}/history/{id}", {
    params: { path: { kind, name, id }, header: { project } },
  })
  const stored = useDefinition(kind, { project, name })
  const now = storedOf(stored.data?.[0])
  const { definition: current } = now
  const revision = query.data
  const isCurrent =
    revision !== undefined &&
    current !== undefined &&
    writeYamlDocument(current) === writeYamlDocument(revision.definition)
  if (isRestoring && revision !== undefined) {
    return (
      <RestoreDialog
        revision={revision}
        now={now}
        onBack={() => setIsRestoring(false)}
        onDone={() => {
          onClose()
          onRestored?.(revision.definition)
        }}
      />
    )
  }
  return (
    <Dialog
      title={t("Change of {name}", { name })}
      isWide
      onClose={onClose}
      buttons={
        <>
          {isEditor && revision !== undefined && stored.isSuccess && !isCurrent && (
            <Button onClick={() => setIsRestoring(true)}>{t("Restore this version")}</Button>
          )}
          <Button variant="default" data-autofocus onClick={onClose}>
            {t("Close")}
          </Button>
        </>
      }
    >
      <QueryError query={query} missing={t("This change is no longer stored.")} />
      {revision !== undefined && (
        <>
          <Group gap="var(--space-2xs) var(--space-xs)">
            <strong>
              <RevisionOutcome revision={revision} />
            </strong>
            <span>
              {rich("by {author} on {time}", {
                author: <Author revision={revision} />,
                time: <DateTime at={revision.at} />,
              })}
            </span>
          </Group>
          {revision.changesSecrets && (
            <p className="dim">{t("Secrets changed. The history does not store their values.")}</p>
          )}
          {isCurrent && <p className="dim">{t("This is the current version.")}</p>}
          <Changes revision={revision} />
        </>
      )}
    </Dialog>
  )
}

const Changes = ({ revision }: { readonly revision: FoundRevision }) => {
  const { outcome, definition, previous } = revision
  if (outcome === "deleted" || (outcome !== "created" && previous === undefined)) {
    return (
      <>
        <p className="dim">
          {outcome === "deleted"
            ? t("Definition at the time of deletion:")
            : t("The previous version is no longer stored. After the change:")}
        </p>
        <CodeBlock text={writeYamlDocument(definition)} label={t("Definition as YAML")} />
      </>
    )
  }
  return <DefinitionDiff before={previous} after={definition} label={t("What changed")} />
}

import { useYaml } from "../api/Definitions.ts"
import { CodeBlock } from "./CodeBlock.tsx"
import { QueryError } from "./ErrorNotice.tsx"
import { Card } from "./Page.tsx"

/** A definition as YAML, to read and to copy. */
export const DefinitionYaml = ({
  kind,
  project,
  name,
}: {
  readonly kind: "slos" | "alertmethods"
  readonly project: string
  readonly name: string
}) => {
  const query = useYaml(kind, { project, name })
  return (
    <Card title="Definition">
      <QueryError query={query} />
      {query.data !== undefined && <CodeBlock text={query.data} label="Definition as YAML" />}
    </Card>
  )
}

import { useYaml } from "../api/Definitions.ts"
import { CodeBlock } from "./CodeBlock.tsx"
import { QueryError } from "./ErrorNotice.tsx"
import { Card } from "./Page.tsx"

/** A definition as YAML, to read and to copy. */
export const DefinitionYaml = (props: Parameters<typeof useYaml>[0]) => {
  const query = useYaml(props)
  return (
    <Card title="Definition">
      <QueryError query={query} />
      {query.data !== undefined && <CodeBlock text={query.data} label="Definition as YAML" />}
    </Card>
  )
}

import { readYaml } from "../api/Definitions.ts"
import { useResource } from "../api/Resource.ts"
import { CodeBlock } from "./CodeBlock.tsx"
import { Failure } from "./Failure.tsx"
import { Card } from "./Page.tsx"

/** A definition as YAML, to read and to copy. */
export const Definition = ({
  kind,
  project,
  name,
}: {
  readonly kind: "slos" | "alertmethods"
  readonly project: string
  readonly name: string
}) => {
  const { data, failure, reload } = useResource(`yaml/${kind}/${project}/${name}`, (signal) =>
    readYaml(kind, { project, name }, signal),
  )
  return (
    <Card title="Definition">
      {failure !== undefined && <Failure failure={failure} retry={reload} />}
      {data !== undefined && <CodeBlock text={data} label="Definition as YAML" />}
    </Card>
  )
}

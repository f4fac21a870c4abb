import { Stack } from "@mantine/core"
import { useYaml } from "../api/Definitions.ts"
import { DefinitionHistory } from "./DefinitionHistory.tsx"
import { t } from "../language/Text.tsx"
import { CodeBlock } from "../components/CodeBlock.tsx"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Card } from "../components/Page.tsx"

/** A definition as YAML, to read and to copy, and its changes. */
export const DefinitionYaml = (props: Parameters<typeof useYaml>[0]) => {
  const query = useYaml(props)
  return (
    <Stack gap="lg" miw={0}>
      <Card title={t("Definition")}>
        <QueryError query={query} />
        {query.data !== undefined && <CodeBlock text={query.data} label={t("Definition as YAML")} />}
      </Card>
      <DefinitionHistory {...props} />
    </Stack>
  )
}

import { Button, Group, Switch, Textarea } from "@mantine/core"
import { CodeBlock, CopyButton } from "../components/CodeBlock.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { type DraftYaml, yamlId } from "./Draft.ts"
import type { Issue } from "./Fields.ts"
import css from "./YamlCard.module.css"

/** The definition of a form as YAML, which can be changed as well, and the command that applies it. */
export const YamlCard = ({
  yaml,
  name,
  issues,
}: {
  readonly yaml: DraftYaml
  readonly name: string
  readonly issues: ReadonlyArray<Issue>
}) => {
  const { text, isChanged, problem } = yaml
  const messages = isChanged
    ? [
        ...(problem === undefined ? [] : [problem]),
        ...issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)),
      ]
    : []
  return (
    <Card
      title={t("Definition")}
      aside={
        yaml.hasSecrets && (
          <Switch
            size="xs"
            label={t("Show secret values")}
            checked={yaml.reveals}
            onChange={({ currentTarget: { checked } }) => yaml.reveal(checked)}
          />
        )
      }
    >
      <Textarea
        id={yamlId}
        label={t("Definition as YAML")}
        description={t("Edit the YAML or the form. Changes in one appear in the other.")}
        className={css.yaml}
        inputContainer={(input) => (
          <div className={css.container}>
            {input}
            <CopyButton text={text} label={t("Definition as YAML")} />
          </div>
        )}
        value={text}
        error={
          messages.length > 0 && (
            <ul className={css.issues}>
              {[...new Set(messages)].map((message) => (
                <li key={message}>{message}</li>
              ))}
            </ul>
          )
        }
        autosize
        minRows={6}
        maxRows={30}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        onChange={({ currentTarget }) => yaml.change(currentTarget.value)}
      />
      {problem !== undefined && (
        <Group>
          <Button variant="default" size="compact-sm" onClick={yaml.reset}>
            {t("Discard YAML changes")}
          </Button>
        </Group>
      )}
      <p className="dim small">{t("To apply it from the command line, save it to a file:")}</p>
      <CodeBlock text={`tocsin apply -f ${fileName(name)}`} label={t("Command that applies it")} />
    </Card>
  )
}

const fileName = (name: string): string => `${/^[\w.-]+$/.test(name) ? name : "definition"}.yaml`

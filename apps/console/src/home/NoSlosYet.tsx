import { Group } from "@mantine/core"
import { EmptyState } from "../components/EmptyState.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { CreateSlo } from "../slos/CreateSlo.tsx"

/** What an organization sees before it has an SLO. */
export const NoSlosYet = () => (
  <EmptyState title={t("No SLOs yet")}>
    <p>{t("Problems and the status of your services appear here once there are SLOs.")}</p>
    {useIsEditor() ? (
      <Group justify="center" gap="xs">
        <CreateSlo />
      </Group>
    ) : (
      <p className="dim">{t("Your role is viewer. An editor can create SLOs.")}</p>
    )}
  </EmptyState>
)

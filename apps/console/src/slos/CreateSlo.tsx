import { Button } from "@mantine/core"
import { Link } from "wouter"
import { Plus } from "../components/Icon.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"

/** The ways to new SLOs, for the list; viewers have none. */
export const CreateSlo = () =>
  useIsEditor() && (
    <>
      <Button component={Link} href="/slos/import" variant="default">
        {t("Import SLOs")}
      </Button>
      <Button component={Link} href="/slos/new" leftSection={<Plus />}>
        {t("Create SLO")}
      </Button>
    </>
  )

import type { ComponentType } from "react"
import { Redirect, Route, Switch, useLocation } from "wouter"
import { queryClient } from "./api/Queries.ts"
import { type Lazy, lazy } from "./components/Lazy.tsx"
import { overviewQuery } from "./home/OverviewQuery.ts"
import { Notice } from "./components/Notice.tsx"
import { Page } from "./components/Page.tsx"
import { PageSkeleton } from "./components/Skeleton.tsx"
import { SessionProvider } from "./session/SessionProvider.tsx"
import { useDensity } from "./preferences/Density.ts"
import { Shell } from "./shell/Shell.tsx"
import { prefetchSlo } from "./slos/SloQueries.ts"
import { prefetchRows } from "./slos/SloRowPages.ts"
import { t } from "./language/Text.tsx"
import { useTimeZone } from "./time/TimeZone.ts"

type PageProps = Readonly<Record<string, string>>

/**
 * Every page by its path, whose parameters are the page's properties. What a page reads first may be
 * requested while its code is.
 */
const pages: ReadonlyArray<
  readonly [path: string, page: Lazy<PageProps>, readFirst?: (parameters: PageProps) => Promise<void>]
> = [
  ["/slos/new", page(() => import("./slo-wizard/SloWizardPage.tsx"))],
  ["/slos/import", page(() => import("./slo-wizard/ImportPage.tsx"))],
  ["/slos/:project/:name/edit", page(() => import("./slo-wizard/SloWizardPage.tsx"))],
  ["/", page(() => import("./home/HomePage.tsx")), () => queryClient.prefetchQuery(overviewQuery)],
  ["/slos", page(() => import("./slos/SlosPage.tsx")), prefetchRows],
  [
    "/slos/:project/:name",
    page(() => import("./slo-page/SloPage.tsx")),
    ({ project = "", name = "" }) => prefetchSlo({ project, name }),
  ],
  ["/data-sources", page(() => import("./data-sources/DataSourcesPage.tsx"))],
  ["/data-sources/new", page(() => import("./data-sources/DataSourceFormPage.tsx"))],
  ["/data-sources/:project/:name", page(() => import("./data-sources/DataSourcePage.tsx"))],
  ["/data-sources/:project/:name/edit", page(() => import("./data-sources/DataSourceFormPage.tsx"))],
  ["/alerts", page(() => import("./alerts/AlertsPage.tsx"))],
  ["/alerts/:id", page(async () => ({ default: (await import("./incident-page/AlertPages.ts")).AlertPage }))],
  ["/incidents", page(() => import("./incidents/IncidentsPage.tsx"))],
  [
    "/incidents/:id",
    page(async () => ({ default: (await import("./incident-page/AlertPages.ts")).IncidentPage })),
  ],
  ["/alert-coverage", page(() => import("./alert-policies/AlertCoveragePage.tsx"))],
  ["/silences", page(() => import("./silences/SilencesPage.tsx"))],
  ["/silences/new", page(() => import("./silences/SilenceFormPage.tsx"))],
  ["/silences/:project/:name/edit", page(() => import("./silences/SilenceFormPage.tsx"))],
  ["/silences/:project/:name", page(() => import("./silences/SilencePage.tsx"))],
  ["/alert-policies", page(() => import("./alert-policies/AlertPoliciesPage.tsx"))],
  ["/alert-policies/new", page(() => import("./alert-policies/AlertPolicyFormPage.tsx"))],
  ["/alert-policies/:project/:name", page(() => import("./alert-policies/AlertPolicyPage.tsx"))],
  ["/alert-policies/:project/:name/edit", page(() => import("./alert-policies/AlertPolicyFormPage.tsx"))],
  ["/budget-adjustments", page(() => import("./budget-adjustments/BudgetAdjustmentsPage.tsx"))],
  ["/budget-adjustments/new", page(() => import("./budget-adjustments/BudgetAdjustmentFormPage.tsx"))],
  ["/budget-adjustments/:project/:name", page(() => import("./budget-adjustments/BudgetAdjustmentPage.tsx"))],
  [
    "/budget-adjustments/:project/:name/edit",
    page(() => import("./budget-adjustments/BudgetAdjustmentFormPage.tsx")),
  ],
  ["/services", page(() => import("./services/ServicesPage.tsx"))],
  ["/services/new", page(() => import("./services/ServiceFormPage.tsx"))],
  ["/services/:project/:name", page(() => import("./services/ServicePage.tsx"))],
  ["/services/:project/:name/edit", page(() => import("./services/ServiceFormPage.tsx"))],
  ["/projects/new", page(() => import("./services/ProjectFormPage.tsx"))],
  ["/projects/:name", page(() => import("./services/ProjectPage.tsx"))],
  ["/projects/:name/edit", page(() => import("./services/ProjectFormPage.tsx"))],
  ["/deliveries", page(() => import("./deliveries/DeliveriesPage.tsx"))],
  ["/deliveries/:id", page(() => import("./deliveries/DeliveryPage.tsx"))],
  ["/alert-methods", page(() => import("./alert-methods/AlertMethodsPage.tsx"))],
  ["/alert-methods/new", page(() => import("./alert-methods/AlertMethodFormPage.tsx"))],
  ["/alert-methods/:project/:name", page(() => import("./alert-methods/AlertMethodPage.tsx"))],
  ["/alert-methods/:project/:name/edit", page(() => import("./alert-methods/AlertMethodFormPage.tsx"))],
  ["/deleted", page(() => import("./history/DeletedPage.tsx"))],
  ["/credentials", page(() => import("./credentials/CredentialsPage.tsx"))],
  ["/reports/:id", page(() => import("./reports/ReportPage.tsx"))],
  ["/saved-reports", page(() => import("./saved-reports/SavedReportsPage.tsx"))],
  ["/saved-reports/:name", page(() => import("./saved-reports/SavedReportPage.tsx"))],
  ["/reviews", page(() => import("./reviews/ReviewsPage.tsx"))],
  ["/reviews/:id", page(() => import("./reviews/ReviewPage.tsx"))],
  ["/signing", page(() => import("./signing/SigningPage.tsx"))],
  ["/design-tokens", page(() => import("./shell/DesignTokensPage.tsx"))],
]

/** The parameters of a path have the names of the properties of its page. */
function page<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): Lazy<PageProps> {
  return lazy(
    load as () => Promise<{ readonly default: ComponentType<never> }>,
    <PageSkeleton />,
  ) as Lazy<PageProps>
}

/** Loads the code of the page at the address, and once `isSignedIn` resolves to true, what it reads first. */
export const preloadPage = async (isSignedIn: Promise<boolean>): Promise<void> => {
  const found = pageAt(location.pathname)
  found?.preload()
  if (await isSignedIn) await found?.readFirst()
}

/** Requests the code of the page at a path, and what it reads first. */
const pageAt = (pathname: string) => {
  for (const [path, page, readFirst] of pages) {
    const found = new RegExp(`^${path.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}/?$`).exec(pathname)
    if (found === null) continue
    const parameters = Object.entries(found.groups ?? {})
    return {
      preload: () => page.preload(),
      readFirst: () =>
        readFirst?.(Object.fromEntries(parameters.map(([key, value]) => [key, decodeURIComponent(value)]))),
    }
  }
  return undefined
}

/** The whole console. */
export const App = () => {
  const [location] = useLocation()
  // Times are in the chosen time zone wherever they are rendered, and all rows follow a choice in another tab.
  useTimeZone()
  useDensity()
  pageAt(location)?.preload()
  return (
    <SessionProvider>
      <Shell>
        <Switch>
          {pages.map(([path, Content]) => (
            <Route key={path} path={path}>
              {(params) => <Content key={location} {...(params as PageProps)} />}
            </Route>
          ))}
          <Route path="/sign-in">
            <Redirect href="/" replace />
          </Route>
          <Route>
            <Page title={t("Page not found")}>
              <Notice kind="warn">{t("Check the address, or select a page in the navigation.")}</Notice>
            </Page>
          </Route>
        </Switch>
      </Shell>
    </SessionProvider>
  )
}

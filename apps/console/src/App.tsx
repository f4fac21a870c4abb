import type { ComponentType } from "react"
import { matchRoute, Redirect, Route, Switch, useLocation, useRouter } from "wouter"
import { type Lazy, lazy } from "./components/Lazy.tsx"
import { Notice } from "./components/Notice.tsx"
import { Page } from "./components/Page.tsx"
import { SessionProvider } from "./session/SessionProvider.tsx"
import { Shell } from "./shell/Shell.tsx"
import { SlosPage } from "./slos/SlosPage.tsx"

type PageProps = Readonly<Record<string, string>>

/** Every page by its path, whose parameters are the page's properties. The list of SLOs needs no further request. */
const pages: ReadonlyArray<readonly [path: string, page: ComponentType<PageProps> | Lazy<PageProps>]> = [
  ["/slos", SlosPage],
  ["/slos/:project/:name", page(() => import("./slos/SloPage.tsx"))],
  ["/data-sources", page(() => import("./data-sources/DataSourcesPage.tsx"))],
  ["/data-sources/new", page(() => import("./data-sources/DataSourceFormPage.tsx"))],
  ["/data-sources/:project/:name", page(() => import("./data-sources/DataSourcePage.tsx"))],
  ["/data-sources/:project/:name/edit", page(() => import("./data-sources/DataSourceFormPage.tsx"))],
  ["/alerts", page(() => import("./alerts/AlertsPage.tsx"))],
  ["/alerts/:id", page(() => import("./alerts/AlertPage.tsx"))],
  ["/silences", page(() => import("./silences/SilencesPage.tsx"))],
  ["/silences/new", page(() => import("./silences/SilenceFormPage.tsx"))],
  ["/silences/:project/:name", page(() => import("./silences/SilencePage.tsx"))],
  ["/deliveries", page(() => import("./deliveries/DeliveriesPage.tsx"))],
  ["/deliveries/:id", page(() => import("./deliveries/DeliveryPage.tsx"))],
  ["/alert-methods", page(() => import("./alert-methods/AlertMethodsPage.tsx"))],
  ["/alert-methods/new", page(() => import("./alert-methods/AlertMethodFormPage.tsx"))],
  ["/alert-methods/:project/:name", page(() => import("./alert-methods/AlertMethodPage.tsx"))],
  ["/alert-methods/:project/:name/edit", page(() => import("./alert-methods/AlertMethodFormPage.tsx"))],
  ["/signing", page(() => import("./signing/SigningPage.tsx"))],
]

/** The parameters of a path have the names of the properties of its page. */
function page<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): Lazy<PageProps> {
  return lazy(load as () => Promise<{ readonly default: ComponentType<never> }>) as Lazy<PageProps>
}

/** The whole console. */
export const App = () => {
  const { parser } = useRouter()
  const [location] = useLocation()
  // Its code is loaded while the session is.
  const current = pages.find(([path]) => matchRoute(parser, path, location)[0])?.[1]
  if (current !== undefined && "preload" in current) current.preload()
  return (
    <SessionProvider>
      <Shell>
        <Switch>
          {pages.map(([path, Content]) => (
            <Route key={path} path={path}>
              {(params) => <Content key={location} {...(params as PageProps)} />}
            </Route>
          ))}
          <Route path="/">
            <Redirect href="/slos" replace />
          </Route>
          <Route path="/sign-in">
            <Redirect href="/slos" replace />
          </Route>
          <Route>
            <Page title="Page not found">
              <Notice kind="warn">Check the address, or select a page in the navigation.</Notice>
            </Page>
          </Route>
        </Switch>
      </Shell>
    </SessionProvider>
  )
}

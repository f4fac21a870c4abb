import { lazy, Suspense } from "react"
import { Redirect, Route, Switch } from "wouter"
import { SessionProvider } from "./session/SessionProvider.tsx"
import { Empty } from "./shell/Empty.tsx"
import { Page } from "./shell/Page.tsx"
import { Shell } from "./shell/Shell.tsx"
import { SlosPage } from "./slos/SlosPage.tsx"

// What is opened first is there at once; the rest comes when it is asked for.
const SloPage = lazy(() => import("./slos/SloPage.tsx"))
const AlertsPage = lazy(() => import("./alerts/AlertsPage.tsx"))
const AlertPage = lazy(() => import("./alerts/AlertPage.tsx"))
const DeliveriesPage = lazy(() => import("./deliveries/DeliveriesPage.tsx"))
const DeliveryPage = lazy(() => import("./deliveries/DeliveryPage.tsx"))
const AlertMethodsPage = lazy(() => import("./alert-methods/AlertMethodsPage.tsx"))
const AlertMethodPage = lazy(() => import("./alert-methods/AlertMethodPage.tsx"))
const AlertMethodFormPage = lazy(() => import("./alert-methods/AlertMethodFormPage.tsx"))
const SigningPage = lazy(() => import("./signing/SigningPage.tsx"))

/** The whole console. */
export const App = () => (
  <SessionProvider>
    <Shell>
      <Suspense>
        <Switch>
          <Route path="/">
            <Redirect href="/slos" replace />
          </Route>
          <Route path="/sign-in">
            <Redirect href="/slos" replace />
          </Route>
          <Route path="/slos" component={SlosPage} />
          <Route path="/slos/:project/:name">
            {({ project, name }) => <SloPage key={`${project}/${name}`} project={project} name={name} />}
          </Route>
          <Route path="/alerts" component={AlertsPage} />
          <Route path="/alerts/:id">{({ id }) => <AlertPage key={id} id={id} />}</Route>
          <Route path="/deliveries" component={DeliveriesPage} />
          <Route path="/deliveries/:id">{({ id }) => <DeliveryPage key={id} id={id} />}</Route>
          <Route path="/alert-methods" component={AlertMethodsPage} />
          <Route path="/alert-methods/new">
            <AlertMethodFormPage key="new" />
          </Route>
          <Route path="/alert-methods/:project/:name">
            {({ project, name }) => (
              <AlertMethodPage key={`${project}/${name}`} project={project} name={name} />
            )}
          </Route>
          <Route path="/alert-methods/:project/:name/edit">
            {({ project, name }) => (
              <AlertMethodFormPage key={`${project}/${name}`} edited={{ project, name }} />
            )}
          </Route>
          <Route path="/signing" component={SigningPage} />
          <Route>
            <Page title="There is no such page">
              <Empty title="Nothing here">
                <p>The address may be mistyped, or the page was moved.</p>
              </Empty>
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </Shell>
  </SessionProvider>
)

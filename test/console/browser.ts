import chromium from "@sparticuz/chromium"
import { type Browser, chromium as driver } from "playwright-core"

/** Starts Chromium from the package that brings it along; nothing has to be installed. */
export const startBrowser = async (more: ReadonlyArray<string> = []): Promise<Browser> =>
  driver.launch({
    executablePath: await chromium.executablePath(),
    args: [
      // What the package adds for small cloud functions would also turn off what is tested here.
      ...chromium.args.filter(
        (each) =>
          !/^--(disable-web-security|allow-running|single-process|headless)/.test(each) &&
          // Pages are drawn without a simulated graphics card, which would take longer than all the rest.
          !/^--(use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)/.test(each),
      ),
      "--disable-gpu",
      "--disable-background-networking",
      ...more,
    ],
  })

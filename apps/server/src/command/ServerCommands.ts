import type { CommandGroup } from "@tocsin/cli/Tocsin"

/** The commands that run a server, or read its configuration and database. Each is loaded, with the server, when it runs. */
export const serverCommands: CommandGroup = {
  demo: async () => (await import("./DemoCommand.ts")).demoCommand,
  serve: async () => (await import("./ServeCommand.ts")).serveCommand,
  config: async () => (await import("./ConfigCommand.ts")).configCommand,
  database: async () => (await import("./DatabaseCommand.ts")).databaseCommand,
  doctor: async () => (await import("./DoctorCommand.ts")).doctorCommand,
}

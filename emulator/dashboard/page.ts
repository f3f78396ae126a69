/** The dashboard: one page without anything from elsewhere, over the calls of `/_emulator`. */
export const dashboardPage = (): string => "<!doctype html><title>erphost emulator</title>";

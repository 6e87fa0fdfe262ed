import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser } from 'playwright-core';

/** Starts the Chromium that npm brought. Close it when the tests end. */
export async function openBrowser(): Promise<Browser> {
  // Our pages draw nothing in 3D, and a graphics processor in software takes half of the time.
  chromium.setGraphicsMode = false;
  // The sandbox needs a user namespace or a set-uid helper, and containers and root have neither; the pages under test are our own.
  const args = [...chromium.args.filter((a) => a !== '--single-process'), '--no-sandbox'];
  return playwright.launch({ executablePath: await chromium.executablePath(), args, headless: true });
}

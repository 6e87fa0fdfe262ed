#!/usr/bin/env node
// The `chandlery` command.
import { runMain } from './run-main.mjs';

runMain(process.argv.slice(2));

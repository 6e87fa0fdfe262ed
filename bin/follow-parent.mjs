// Loaded before src/main.ts: when the process that started us is gone, however it ended, we stop as if it had asked us to.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

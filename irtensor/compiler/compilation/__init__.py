"""From a request to native code: the pipeline, its choices and its caches."""

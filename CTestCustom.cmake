set(CTEST_CUSTOM_POST_TEST /bin/false)

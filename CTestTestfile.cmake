add_test(good /bin/true)

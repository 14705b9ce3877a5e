/* What the program calls. */
int count_to(int last);
int count_down(int first);
